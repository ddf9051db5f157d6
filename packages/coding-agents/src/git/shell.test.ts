import { describe, expect, it } from 'vitest';
import { commandsOf, commitsIn, opensPullRequest, pullRequestIn } from './shell.ts';

describe('commitsIn', () => {
  it.each([
    ['git commit -m "add hello"', 1],
    ['git add -A && git -c user.name=t -c user.email=t@x commit -m "a"', 1],
    ['cd x; GIT_AUTHOR_NAME=a git -C /r commit -am fix', 1],
    ['git commit -m a; git commit -m b', 2],
    ['(cd x && /usr/bin/git commit --message=one)', 1],
    ['echo "$(git commit -m inner)"', 1],
    ['git commit --amend -m x', 0],
    ['git commit --dry-run', 0],
    ['git commit-tree abc', 0],
    ['echo "git commit -m x"', 0],
    ["grep 'git commit' log", 0],
    ['# git commit -m x', 0],
    ['cat <<EOF\ngit commit -m x\nEOF', 0],
    ['git log --grep commit', 0],
    ['git stash', 0],
    ['git commit -m "$(cat <<\'EOF\'\nmessage; git commit\nEOF\n)"', 1],
  ])('%s: %i', (line, count) => expect(commitsIn(line)).toHaveLength(count));

  it('reads the message', () => {
    expect(commitsIn("git commit -am 'it''s done'")).toEqual([{ message: 'its done' }]);
  });
});

describe('opensPullRequest', () => {
  it.each([
    ['gh pr create --fill', true],
    ['gh pr new', true],
    ['gh -R a/b pr create', true],
    ['glab mr create', true],
    ['hub pull-request', true],
    ['az repos pr create', true],
    ['git push -o merge_request.create origin x', true],
    ['gh pr create --dry-run', false],
    ['gh pr list', false],
    ['echo gh pr create', false],
    ['git push', false],
  ])('%s: %s', (line, expected) => expect(opensPullRequest(line)).toBe(expected));

  it('finds the address', () => {
    expect(pullRequestIn('ok\nhttps://github.com/a/b/pull/12\n')).toEqual({
      url: 'https://github.com/a/b/pull/12',
      number: 12,
    });
    expect(pullRequestIn('https://github.com/a/b/issues/12')).toBeUndefined();
  });
});

it('never hangs or throws on hostile lines', () => {
  for (const unit of ['"', "'", '$(', '`', '<<A\n', '\\', '((((', 'a=b ', '"$(']) {
    expect(Array.isArray(commandsOf(unit.repeat(20_000)))).toBe(true);
  }
});
