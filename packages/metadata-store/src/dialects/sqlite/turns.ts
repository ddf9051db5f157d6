/** Runs works of one name one after another, others beside each other. */
export function inTurns(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  /** The end of the last work of each name that is under way. */
  const ends = new Map<string, Promise<void>>();
  return (name, work) => {
    const done = (ends.get(name) ?? Promise.resolve()).then(work);
    const end = done.then(
      () => undefined,
      () => undefined,
    );
    ends.set(name, end);
    void end.then(() => {
      if (ends.get(name) === end) ends.delete(name);
    });
    return done;
  };
}
