/** A page of a head above rows. Where the window is low, all of it scrolls, and the rows keep a height to be read in. */
export const PAGE_COLUMN = 'flex h-full flex-col low:overflow-y-auto';

/** The rows of such a page, which scroll by themselves. */
export const PAGE_ROWS = 'min-h-0 grow low:min-h-[min(100%,16rem)]';
