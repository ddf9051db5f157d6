import { CandelaError } from './errors.js';
/** Reads the fields of an answer; what is not as it must be is no answer of a platform. */
export declare class Fields {
    #private;
    constructor(value: unknown, what: string);
    text(key: string): string;
    texts(key: string): readonly string[];
    flag(key: string): boolean;
    number(key: string): number;
    isNull(key: string): boolean;
    /** A list; absent and null are the empty one. */
    list(key: string): readonly unknown[];
    /** A map; absent and null are the empty one. */
    record(key: string): Readonly<Record<string, unknown>>;
    has(key: string): boolean;
}
/** @param what the part of the answer that is wrong; never its value, which may be a secret */
export declare const unexpected: (what: string) => CandelaError;
/** Makes a value that several callers share safe from each of them. */
export declare function freeze<T>(value: T): T;
