/** The parts of the contract that the search box runs; a module of its own because it is loaded after the first paint. */
export { FIELDS, parseFilter } from '@candela/contract/filter';
