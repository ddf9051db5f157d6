import { ColumnDefinitionNode, type DataTypeNode, PostgresQueryCompiler } from 'kysely';

/**
 * Text columns are compared by code point, whatever the collation of the database: lists have one order in all dialects,
 * and an upgrade of the system's collations damages no index.
 */
export class CodePointCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    super.visitDataType(node);
    const { parentNode } = this;
    const ofColumn = parentNode !== undefined && ColumnDefinitionNode.is(parentNode);
    if (ofColumn && node.dataType === 'text') this.append(' collate "C"');
  }
}
