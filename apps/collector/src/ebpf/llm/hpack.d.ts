declare module 'hpack.js' {
  interface Decompressor {
    on(event: 'error', listener: (error: Error) => void): void;
    write(block: Buffer): boolean;
    execute(): void;
    read(): { readonly name: string; readonly value: string } | null;
  }
  const hpack: {
    readonly decompressor: {
      create(options: { readonly table: { readonly maxSize: number } }): Decompressor;
    };
  };
  export default hpack;
}
