import { compareVersions, formatVersion, parseSelector, type PromptVersion } from '@candela/contract';
import { fail } from '@candela/kernel';
import type { PromptIndex } from '@candela/metadata-store';

type Published = PromptIndex['versions'][number];

/**
 * The published version that a caller means: the newest one that fits. Nothing means the newest of all.
 * @throws bad_request when the text says nothing, refused when nothing is published, not_found
 */
export function choose(index: PromptIndex, wanted: string | null | undefined): Published {
  const { name, versions, labels } = index;
  const selector = parseSelector(wanted);
  if (selector === undefined) {
    throw fail('bad_request', {
      detail: `"${(wanted ?? '').slice(0, 60)}" is no version. Use an exact one (1.2.0), a range (1.x), "latest" or a label.`,
    });
  }
  const [newest] = versions;
  if (newest === undefined) {
    throw fail('refused', {
      detail: `The prompt "${name}" has only a draft. Publish a version of it first.`,
    });
  }
  const found = (version: Published | undefined, what: string): Published => {
    if (version === undefined) throw fail('not_found', { what: `${what} of the prompt "${name}"` });
    return version;
  };
  switch (selector.kind) {
    case 'latest':
      return newest;
    case 'exact':
      return found(search(versions, selector.version), `Version ${formatVersion(selector.version)}`);
    case 'range': {
      const { major, minor } = selector;
      const fits = (version: PromptVersion) =>
        version.major === major && (minor === undefined || version.minor === minor);
      return found(versions.find(fits), `A version ${wanted ?? ''}`);
    }
    case 'label': {
      const id = labels.get(selector.label);
      return found(
        id === undefined ? undefined : versions.find((version) => version.id === id),
        `The label "${selector.label}"`,
      );
    }
  }
}

/** Halves the list, which is in order, newest first. */
function search(versions: readonly Published[], wanted: PromptVersion): Published | undefined {
  let low = 0;
  let high = versions.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const version = versions[middle];
    if (version === undefined) return undefined;
    const order = compareVersions(version, wanted);
    if (order === 0) return version;
    if (order > 0) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}
