import { Readable } from 'node:stream'
import type { StorageKey } from './storage-key.ts'

/** Content to be stored. After a failure the store stops reading; it does not destroy the source. */
export type Content = Readable | AsyncIterable<Uint8Array>

/** Expected properties of the content. Digests are lower-case hexadecimal. */
export interface Expected {
  sizeBytes?: number | undefined
  sha256?: string | undefined
  sha512?: string | undefined
}

/** The properties of stored content. */
export interface StoredObject {
  sizeBytes: number
  /** 64 lower-case hexadecimal digits. */
  sha256: string
}

/** The metadata of an object. */
export interface ObjectHead {
  sizeBytes: number
  modifiedAt: Date
}

/** A listed object. */
export interface ListedObject extends ObjectHead {
  key: StorageKey
}

/** First and last byte, inclusive, counted from zero, as in HTTP. Default for `lastByte`: the end of the object. */
export interface ByteRange {
  firstByte: number
  lastByte?: number | undefined
}

/** An opened object. The caller must consume or destroy the stream. */
export interface OpenedObject {
  stream: Readable
  /** The size of the whole object. */
  sizeBytes: number
  /** The number of bytes of the stream. */
  lengthBytes: number
}

/** Properties of an address of an object. */
export interface UrlOptions {
  /** How long a download may begin, at most seven days. */
  expiresSeconds: number
  /** Headers of the answer, where they should not be the backend's own. */
  contentType?: string | undefined
  contentDisposition?: string | undefined
}

/**
 * Blob storage (design §4). Objects are durable when the promise resolves, appear atomically, and are immutable: a second `put`
 * of a key replaces the object, and open readers still read the old one.
 * Every method may throw ObjectError `unavailable` when the storage is another service.
 * Every backend is listed in `testing.ts`, and passes the tests of this folder.
 */
export interface ObjectStore {
  /**
   * Stores an object, and hashes it while streaming. After a failure, the previous object of the key still exists.
   * @throws ObjectError `digest_mismatch`, `size_mismatch` (as soon as too much was read), `storage_full`, `key_conflict`
   */
  put(key: StorageKey, content: Content, expected?: Expected): Promise<StoredObject>

  /**
   * Begins an upload in several requests, which different processes may handle. It becomes an object by `commit`.
   */
  begin(): Promise<{ id: string }>

  /**
   * Appends to a writer. Data received before a failure stays, as far as it is durable; `progress` returns the size. After a
   * process died during an append, the upload can be continued after a minute.
   * @param offsetBytes the expected current size of the writer
   * @returns the writer's new size
   * @throws ObjectError `writer_unknown`, `writer_busy`, `offset_mismatch` (nothing was read), `storage_full`
   */
  append(id: string, offsetBytes: number, content: Content): Promise<{ sizeBytes: number }>

  /** The size of a writer, in bytes; null when it does not exist. */
  progress(id: string): Promise<{ sizeBytes: number } | null>

  /**
   * Turns a writer's bytes into an object and ends the writer. A mismatch ends it too; after other failures it still exists.
   * @throws ObjectError `writer_unknown`, `writer_busy`, `digest_mismatch`, `size_mismatch`, `storage_full`, `key_conflict`
   */
  commit(id: string, key: StorageKey, expected?: Expected): Promise<StoredObject>

  /** Ends a writer and deletes its bytes; a running append fails. Does nothing for an unknown writer. */
  cancel(id: string): Promise<void>

  /**
   * Opens an object.
   * @returns null when it does not exist
   * @throws ObjectError `range_not_satisfiable`, with the object's size
   */
  get(key: StorageKey, options?: { range?: ByteRange | undefined }): Promise<OpenedObject | null>

  /** Reads the metadata of an object; null when it does not exist. */
  head(key: StorageKey): Promise<ObjectHead | null>

  /** Deletes an object. Does nothing when it does not exist. */
  delete(key: StorageKey): Promise<void>

  /**
   * Lists the objects below a key (`prefix/…`), or all, sorted by key. Objects that are created or deleted meanwhile may or may
   * not be listed.
   */
  list(prefix?: StorageKey): AsyncIterable<ListedObject>

  /**
   * Creates an independent copy of an object.
   * @returns null when the source does not exist
   * @throws ObjectError `storage_full`, `key_conflict`
   */
  copy(from: StorageKey, to: StorageKey): Promise<ObjectHead | null>

  /**
   * An address from which an object can be downloaded for a time without credentials, without passing this server. The object need not exist.
   * @returns null when the backend has no addresses
   */
  urlOf(key: StorageKey, options: UrlOptions): Promise<string | null>

  /**
   * Asks the storage for an answer, which takes some seconds at the most.
   * @throws ObjectError `unavailable` with one sentence, without details, when it can neither store nor read
   */
  check(): Promise<void>
  /**
   * Deletes writers and temporary data that were not used for a time.
   * @returns the number of deleted entries
   */
  removeAbandoned(idleMs: number): Promise<number>
}

/**
 * The chunks of content to be stored. Leaving a loop over them does not destroy the source: a request could not be answered after
 * its socket was destroyed.
 */
export async function* chunksOf(content: Content): AsyncGenerator<Uint8Array> {
  const pieces = content instanceof Readable ? content.iterator({ destroyOnReturn: false }) : content
  for await (const piece of pieces as AsyncIterable<Uint8Array | string>) {
    yield typeof piece === 'string' ? Buffer.from(piece) : piece
  }
}
