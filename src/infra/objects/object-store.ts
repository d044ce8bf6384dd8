import type { Readable } from 'node:stream'
import type { StorageKey } from './storage-key.ts'

/** Bytes on their way in. When an operation fails the store stops reading; it never destroys the source. */
export type Content = Readable | AsyncIterable<Uint8Array>

/** What the caller knows of the content beforehand. Digests are lower-case hex. */
export interface Expected {
  sizeBytes?: number | undefined
  sha256?: string | undefined
  sha512?: string | undefined
}

/** What was stored. */
export interface StoredObject {
  sizeBytes: number
  /** 64 lower-case hex digits. */
  sha256: string
}

/** What is known of an object without reading it. */
export interface ObjectHead {
  sizeBytes: number
  modifiedAt: Date
}

/** An object met while listing. */
export interface ListedObject extends ObjectHead {
  key: StorageKey
}

/** First and last byte, both included and counted from zero, as in HTTP. Without `lastByte`, or behind the end: to the end. */
export interface ByteRange {
  firstByte: number
  lastByte?: number | undefined
}

/** An object being read. The caller consumes or destroys the stream. */
export interface OpenedObject {
  stream: Readable
  /** Size of the whole object. */
  sizeBytes: number
  /** How many bytes the stream gives. */
  lengthBytes: number
}

/**
 * Blob storage (design §4). What is stored is durable when the promise resolves, appears whole or not at all, and never
 * changes: a second `put` of a key replaces the object, and a reader that has opened the old one reads the old one.
 * Every backend passes `objectStoreSuite`.
 */
export interface ObjectStore {
  /**
   * Stores an object, hashed while it streams. When it fails, whatever was under the key is still there.
   * @throws ObjectError `digest_mismatch`, `size_mismatch` (as soon as too much has come), `storage_full`, `key_conflict`
   */
  put(key: StorageKey, content: Content, expected?: Expected): Promise<StoredObject>

  /**
   * Begins an upload in several requests, which may reach several processes. It becomes an object by `commit` and is
   * invisible before.
   */
  begin(): Promise<{ id: string }>

  /**
   * Appends to a writer. What was received before a failure is kept, as far as it is durable; `progress` tells how much.
   * An append that a process died in can be continued after a minute.
   * @param offsetBytes the writer's present size: what the caller believes to be the next byte
   * @returns the writer's new size
   * @throws ObjectError `writer_unknown`, `writer_busy`, `offset_mismatch` (nothing was read), `storage_full`
   */
  append(id: string, offsetBytes: number, content: Content): Promise<{ sizeBytes: number }>

  /** Bytes that a writer holds, null when there is no such writer. */
  progress(id: string): Promise<{ sizeBytes: number } | null>

  /**
   * Makes the writer's bytes an object and ends the writer. A mismatch ends it as well; after any other failure it lives.
   * @throws ObjectError `writer_unknown`, `writer_busy`, `digest_mismatch`, `size_mismatch`, `storage_full`, `key_conflict`
   */
  commit(id: string, key: StorageKey, expected?: Expected): Promise<StoredObject>

  /** Ends a writer and drops its bytes; an append that is under way fails. An unknown writer is no error. */
  cancel(id: string): Promise<void>

  /**
   * @returns null when there is no such object
   * @throws ObjectError `range_not_satisfiable`, with the object's size
   */
  get(key: StorageKey, options?: { range?: ByteRange | undefined }): Promise<OpenedObject | null>

  /** Size and time of an object, null when there is none. */
  head(key: StorageKey): Promise<ObjectHead | null>

  /** Removes an object. An absent one is no error. */
  delete(key: StorageKey): Promise<void>

  /**
   * Objects below a key (`prefix/…`), or all, in the order of their keys' characters. Objects that come or go meanwhile
   * may or may not be seen.
   */
  list(prefix?: StorageKey): AsyncIterable<ListedObject>

  /**
   * A second object with the same bytes, which lives on its own.
   * @returns null when there is nothing to copy
   * @throws ObjectError `storage_full`, `key_conflict`
   */
  copy(from: StorageKey, to: StorageKey): Promise<ObjectHead | null>

  /**
   * Drops writers and temporary data that nobody has touched for so long.
   * @returns how many were dropped
   */
  removeAbandoned(idleMs: number): Promise<number>
}
