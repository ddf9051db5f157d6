"""Scores, datasets and experiments, against small real servers."""

from __future__ import annotations

import unittest

from candela_client import CandelaError, Client
from servers import KEY, ClientTest, answers


class Evaluations(ClientTest):
    def test_scores_datasets_and_experiments(self) -> None:
        server = self.serve(
            answers(200, {"data": {"id": "x"}}),
            answers(200, {"data": {"revision": 2, "ids": ["a"]}}),
            answers(200, {"data": {"id": "e"}}),
            answers(200, {"data": {"taken": 1}}),
        )
        client = Client(server.url, KEY)
        self.assertEqual(client.add_score("thumbs", True, trace_id="a" * 32, score_id="x"), "x")
        self.assertEqual(client.add_dataset_items("my set", [{"input": 1}]), ["a"])
        experiment = client.create_experiment("my set", "n", ["equals"])
        client.add_experiment_outputs(experiment, [{"itemId": "a", "output": "x"}])
        client.close()
        self.assertEqual(
            [seen["path"] for seen in server.seen],
            [
                "/api/evaluation/scores",
                "/api/evaluation/datasets/my%20set/items",
                "/api/evaluation/experiments",
                "/api/evaluation/experiments/e/items",
            ],
        )
        with self.assertRaises(CandelaError):
            client.add_score("empty")


if __name__ == "__main__":
    unittest.main()
