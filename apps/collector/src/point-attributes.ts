export type AttributeValue = string | number | boolean;
/** Attributes of one point, by their names. */
export type PointAttributes = Readonly<Record<string, AttributeValue>>;
