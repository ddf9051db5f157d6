import { BENCHES } from './registry.ts';
import { machine } from './lib/machine.ts';
import { writeSection } from './lib/report.ts';
import { markdownTable } from './lib/table.ts';

/** `npm run bench -- <name> [options] [--write]`; without a name or with `all`: every bench of `docs/benchmarks.md`. */
async function main(args: readonly string[]): Promise<void> {
  const write = args.includes('--write');
  const [name = 'all', ...options] = args.filter((argument) => argument !== '--write');
  const chosen =
    name === 'all' ? BENCHES.filter((bench) => bench.inAll) : BENCHES.filter(({ id }) => id === name);
  if (chosen.length === 0) {
    const list = BENCHES.map(({ id, summary }) => `  ${id.padEnd(8)} ${summary}`).join('\n');
    console.error(
      `There is no bench "${name}". There are:\n${list}\n  all      those that make up docs/benchmarks.md`,
    );
    process.exitCode = 1;
    return;
  }
  const { cpu, cores, memoryGib, disk } = machine();
  console.log(`${cpu}, ${cores} cores, ${memoryGib} GiB, ${disk}`);
  for (const entry of chosen) {
    console.log(`\n# ${entry.id}: ${entry.summary}\n`);
    const bench = await entry.load();
    const findings = await bench.run(options);
    if (findings === undefined) continue;
    console.log(markdownTable(findings.figures));
    for (const note of findings.notes) console.log(`- ${note}`);
    if (write) writeSection(findings);
  }
}

await main(process.argv.slice(2));
