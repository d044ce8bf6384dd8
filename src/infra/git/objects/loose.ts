/** Reads objects that git has stored one by one, without a process: those of a small push, in quarantine. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { ignoreMissing, namesIn } from '../../files/index.ts'
import { type Oid, parseOid } from '../model/names.ts'
import type { ObjectType } from '../model/types.ts'

const inflated = promisify(inflate)

const FAN_OUT = /^[0-9a-f]{2}$/
const HEADER = /^(commit|tree|blob|tag) (\d{1,15})$/
/** The longest header of an object, and what incompressible content grows by. */
const SLACK_BYTES = 64
/** Git stores a push with fewer objects one by one (`receive.unpackLimit`). */
const MANY_OBJECTS = 1_000

/** Lists the objects of an object directory. @returns null when it contains a pack, or many objects */
export async function looseObjects(objectDirectory: string): Promise<Oid[] | null> {
  if ((await namesIn(join(objectDirectory, 'pack'))).length > 0) return null
  const oids: Oid[] = []
  for (const folder of (await namesIn(objectDirectory)).filter((name) => FAN_OUT.test(name))) {
    oids.push(...(await namesIn(join(objectDirectory, folder))).flatMap((name) => parseOid(folder + name) ?? []))
    if (oids.length > MANY_OBJECTS) return null
  }
  return oids
}

/** Reads an object. @returns null when it is not there, or has `maxBytes` or more */
export async function readLoose(
  objectDirectory: string,
  oid: Oid,
  maxBytes: number,
): Promise<{ type: ObjectType; content: Buffer } | null> {
  const compressed = await readUpTo(join(objectDirectory, oid.slice(0, 2), oid.slice(2)), maxBytes + SLACK_BYTES)
  // A large object may be short when it is compressed.
  const bytes =
    compressed && (await inflated(compressed, { maxOutputLength: maxBytes + SLACK_BYTES }).catch(() => null))
  const end = bytes?.indexOf(0x00) ?? -1
  const [, type, size] = HEADER.exec(bytes?.toString('latin1', 0, Math.max(0, end)) ?? '') ?? []
  const content = bytes?.subarray(end + 1)
  if (!content || content.length >= maxBytes || content.length !== Number(size)) return null
  return { type: type as ObjectType, content }
}

async function readUpTo(path: string, maxBytes: number): Promise<Buffer | null> {
  await using file = await open(path, 'r').catch(ignoreMissing)
  if (file === null) return null
  const { size } = await file.stat()
  return size > maxBytes ? null : file.readFile()
}
