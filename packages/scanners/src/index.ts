export { chooseDetectors, scan, scanComponents, ScanError, type ScanResult, type Source } from './engine.ts';
export { DETECTORS } from './detectors/index.ts';
export { bomOf } from './reports/cyclonedx.ts';
export { junitOf } from './reports/junit.ts';
export { sarifOf } from './reports/sarif.ts';
export { readSarif } from './reports/read-sarif.ts';
export { type BundleRule, isOfBundle, readRules, verifyBundle } from './rule-bundle.ts';
export { archiveSource } from './sources/archive.ts';
export { folderSource } from './sources/folder.ts';
export {
  type Component,
  type Finding,
  type ScanFile,
  type VulnerabilityIndex,
  type LicencePolicy,
  type ScanSettings,
  SEVERITIES,
  type Severity,
} from './types.ts';
export { readOsvFolders } from './vulnerability-index.ts';
