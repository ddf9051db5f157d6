/** Names without the dated variants of a model that is named too: `gpt-4o` stands for `gpt-4o-2024-08-06`. */
export function shortModels(models: readonly string[]): string[] {
  return models.filter(
    (model) =>
      !models.some((other) => model.startsWith(`${other}-`) && /^-\d{4}/.test(model.slice(other.length))),
  );
}
