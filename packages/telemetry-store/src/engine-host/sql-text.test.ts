import { describe, expect, it } from 'vitest';
import {
  inputFromFile,
  insertFromFile,
  mayBeSeveral,
  quote,
  quoteIdentifier,
  setStatement,
  splitInput,
  splitInsert,
  trailingFormat,
} from './sql-text.ts';

describe('inputFromFile', () => {
  it('reads the data of a statement from a file, whatever its name', () => {
    const sql = "CREATE TEMPORARY TABLE x AS SELECT a FROM input('`a` String, `b` UInt8') WHERE b = 1";
    expect(inputFromFile(sql, "/dir/it's $& 1", 'Native')).toBe(
      "CREATE TEMPORARY TABLE x AS SELECT a FROM file('/dir/it\\'s $& 1', 'Native', '`a` String, `b` UInt8') WHERE b = 1",
    );
  });

  it('leaves other statements alone', () => {
    expect(inputFromFile('INSERT INTO x SELECT 1', '/x', 'Native')).toBe('INSERT INTO x SELECT 1');
  });
});

describe('splitInput', () => {
  it('takes an insert that makes rows of its data apart, and no other statement', () => {
    const sql = "-- why\nINSERT INTO r (a) SELECT a FROM (SELECT a FROM input('`a` String')) FORMAT Native";
    expect(splitInput(sql)).toEqual({
      sql: "INSERT INTO r (a) SELECT a FROM (SELECT a FROM input('`a` String'))",
      format: 'Native',
    });
    for (const other of [
      'INSERT INTO r FORMAT Native',
      "INSERT INTO r SELECT a FROM input('`a` String')",
      "SELECT a FROM input('`a` String') FORMAT Native",
      'INSERT INTO r SELECT 1 FORMAT Native',
    ]) {
      expect(splitInput(other)).toBeUndefined();
    }
  });
});

describe('splitInsert', () => {
  it.each([
    ['INSERT INTO t FORMAT Native', 'INSERT INTO t', '', 'Native', ''],
    ['insert into d.t (a, b) format CSV\n1,2\n', 'insert into d.t (a, b)', '', 'CSV', '1,2\n'],
    ['INSERT INTO `odd ``name` FORMAT TSV ;', 'INSERT INTO `odd ``name`', '', 'TSV', ''],
    [
      "-- why\n/* x */ INSERT INTO t SETTINGS a = 'x', b = 1 FORMAT JSONEachRow\n{}",
      'INSERT INTO t',
      "SETTINGS a = 'x', b = 1",
      'JSONEachRow',
      '{}',
    ],
    ['INSERT INTO t (a) VALUES', 'INSERT INTO t (a)', '', 'Values', ''],
  ])('%s', (sql, into, settings, format, data) => {
    expect(splitInsert(sql)).toEqual({ into, settings, format, data });
  });

  it.each([
    'SELECT 1 FORMAT CSV',
    "INSERT INTO t VALUES ('FORMAT CSV\n')",
    'INSERT INTO t SELECT 1 FORMAT CSV',
    "INSERT INTO FUNCTION file('x', Native) SELECT 1",
    "SELECT 'INSERT INTO t FORMAT CSV\n'",
  ])('leaves alone: %s', (sql) => expect(splitInsert(sql)).toBeUndefined());

  it('reads the data from a file, settings after it', () => {
    const insert = splitInsert('INSERT INTO t SETTINGS a = 1 FORMAT CSV');
    expect(insert && insertFromFile(insert, "/x/it's")).toBe(
      "INSERT INTO t FROM INFILE '/x/it\\'s' SETTINGS a = 1 FORMAT CSV",
    );
  });

  it('ends on hostile text', () => {
    expect(splitInsert(`INSERT INTO t SETTINGS ${'INSERT INTO FORMA '.repeat(50_000)}`)).toBeUndefined();
    expect(splitInsert(`INSERT INTO ${'('.repeat(200_000)}`)).toBeUndefined();
    expect(splitInsert(`${'-- x\n'.repeat(50_000)}`)).toBeUndefined();
  });
});

describe('quoting', () => {
  it('escapes what could break out', () => {
    expect(quote("a'b\\c\0")).toBe("'a\\'b\\\\c\\0'");
    expect(quoteIdentifier('a`b\\')).toBe('`a\\`b\\\\`');
  });

  it('puts settings and parameters into one statement, and refuses odd names', () => {
    expect(setStatement(new Map([['max_threads', '1']]), new Map([['x', "it's"]]))).toBe(
      "SET max_threads = '1', param_x = 'it\\'s'",
    );
    expect(setStatement(new Map(), new Map())).toBe('');
    expect(() => setStatement(new Map([['a = 1, b', '1']]), new Map())).toThrow(RangeError);
    expect(() => setStatement(new Map(), new Map([["x'", '1']]))).toThrow(RangeError);
  });
});

describe('text of a query', () => {
  it('knows an explicit format at its end', () => {
    expect(trailingFormat('SELECT 1\nFORMAT JSONEachRow')).toBe('JSONEachRow');
    expect(trailingFormat('SELECT 1')).toBeUndefined();
  });

  it('suspects several statements only after a semicolon', () => {
    expect(mayBeSeveral('SELECT 1;\n-- end\n')).toBe(false);
    expect(mayBeSeveral('SELECT 1; SELECT 2')).toBe(true);
    expect(mayBeSeveral("SELECT ';' AS x")).toBe(true);
  });
});
