import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { parse } from 'node:path'
import { type Actor, invalid, notFound, type Raw, type UploadedFile } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { type StorageKey, storageKey, sweep } from '../../../infra/objects/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import type { Check, Job, Platform } from '../../../platform/index.ts'
import { avatarFile, type Visibility } from '../../namespaces/index.ts'

type Storage = Pick<Platform, 'objects'>

/** The kinds of owners; a part of the avatar's address. */
type AvatarOwner = 'user' | 'project' | 'group' | 'topic'

/** A validated upload, and the name that the owner's row gets: `<key of the upload>/<file name>`. */
export type Avatar = { name: string; path: string; sizeBytes: number }

/** What is stored as avatars are: also the images of the appearance. */
type PictureOwner = AvatarOwner | 'appearance'

/** What a picture has to be. @property field of the problems @property extensions of the formats; all of avatars without */
type PictureRules = {
  field: string
  largest: { bytes: number; shown: string }
  extensions?: readonly string[] | undefined
}

const ofAvatars: PictureRules = { field: 'avatar', largest: { bytes: 200 * 1024, shown: '200 KiB' } }

type Picture = { contentType: string; extensions: readonly [string, ...string[]]; isOne(head: Buffer): boolean }

const begins =
  (...beginnings: readonly (string | number[])[]) =>
  (head: Buffer) =>
    beginnings.some((beginning) => {
      const bytes = typeof beginning === 'string' ? Buffer.from(beginning, 'latin1') : Buffer.from(beginning)
      return head.subarray(0, bytes.length).equals(bytes)
    })

/** The accepted formats, recognised by the beginnings of files; the file name and the sender's type are ignored. */
const pictures: readonly Picture[] = [
  { contentType: 'image/png', extensions: ['png'], isOne: begins([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
  { contentType: 'image/jpeg', extensions: ['jpg', 'jpeg'], isOne: begins([0xff, 0xd8, 0xff]) },
  { contentType: 'image/gif', extensions: ['gif'], isOne: begins('GIF87a', 'GIF89a') },
  // Texts may begin with "BM" as well; in pictures, the four bytes after the size are zero.
  {
    contentType: 'image/bmp',
    extensions: ['bmp'],
    isOne: (head) => begins('BM')(head) && head.length > 13 && head.readUInt32LE(6) === 0,
  },
  { contentType: 'image/tiff', extensions: ['tiff', 'tif'], isOne: begins('II*\0', 'MM\0*') },
  { contentType: 'image/vnd.microsoft.icon', extensions: ['ico'], isOne: begins([0, 0, 1, 0]) },
]

const unsupported = ({ field, extensions }: PictureRules) =>
  invalid({
    [field]: [
      'file format is not supported. Please try one of the following supported formats: ' +
        (extensions ?? pictures.map(({ contentType }) => contentType)).join(', '),
    ],
  })

/** A name that is safe in addresses and storage keys, with an extension of the format. */
function safeName(filename: string, { extensions }: Picture): string {
  const { name, ext } = parse(filename)
  const base = name.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 100) || 'avatar'
  const given = ext.slice(1).toLowerCase()
  return `${base}.${extensions.includes(given) ? given : extensions[0]}`
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** A key that no other upload has: so one of the same file name neither overwrites it nor is deleted in place of it. */
const freshKey = () => randomHex(16)

/**
 * Validates an uploaded picture (contract 20 R8).
 * @throws ApiError 400 when it is too large or its format is not accepted
 */
export async function readAvatar(file: UploadedFile, rules: PictureRules = ofAvatars): Promise<Avatar> {
  const { field, largest, extensions: accepted } = rules
  if (file.sizeBytes > largest.bytes) throw invalid({ [field]: [`is too big (should be at most ${largest.shown})`] })
  const head = await headOf(file.path)
  const picture = pictures.find(({ isOne }) => isOne(head))
  if (!picture || (accepted && !picture.extensions.some((one) => accepted.includes(one)))) throw unsupported(rules)
  const name = `${freshKey()}/${safeName(file.filename, picture)}`
  return { name, path: file.path, sizeBytes: file.sizeBytes }
}

/** Where the picture is stored that the row of its owner names. */
const keyOf = (owner: PictureOwner, id: number, avatar: string): StorageKey =>
  storageKey('avatars', owner, id, ...avatar.split('/'))

/**
 * Stores a picture. The previous one remains until `removeAvatar`, so that a failure in between loses nothing: the name of the
 * present picture is in the owner's row.
 */
export async function putAvatar({ objects }: Storage, owner: PictureOwner, id: number, avatar: Avatar): Promise<void> {
  const { name, path, sizeBytes } = avatar
  await objects.put(keyOf(owner, id, name), handled(createReadStream(path)), { sizeBytes })
}

/** Removes a picture that no row names any more. @param avatar null when there was none */
export async function removeAvatar(
  { objects }: Storage,
  owner: PictureOwner,
  id: number,
  avatar: string | null,
): Promise<void> {
  if (avatar !== null) await objects.delete(keyOf(owner, id, avatar))
}

/** Opens a picture; null when it is missing. */
export const openAvatar = ({ objects }: Storage, owner: AvatarOwner, id: number, avatar: string) =>
  objects.get(keyOf(owner, id, avatar))

/** Removes all pictures of an owner that is deleted. */
export async function removeAvatars({ objects }: Storage, owner: AvatarOwner, id: number): Promise<void> {
  for await (const { key } of objects.list(storageKey('avatars', owner, id))) await objects.delete(key)
}

/** Reads the ids and avatars of one kind of owner. @param ids of these alone */
type AvatarRows = (db: Reader, ids?: readonly number[]) => Promise<readonly { id: number; avatar: string | null }[]>

declare module '../../../platform/platform.ts' {
  interface Questions {
    /** How the rows of each kind of owners are read, which name the avatars. */
    'users.avatar_rows'(): Readonly<Record<AvatarOwner, AvatarRows>>
    /** The visibility of a project or group that the caller may see; null of any other. */
    'users.seen_owner'(owner: 'project' | 'group', id: number, actor: Actor): Promise<Visibility | null>
  }
}

const daySeconds = 86_400
/** 05:10 UTC, when load is low. */
const offsetSeconds = 5 * 3600 + 600

/** The daily job that removes pictures which no row names: those that were replaced or removed during a backup. */
export function avatarSweep(owner: PictureOwner, rowsOf: AvatarRows): Job<null> {
  return {
    kind: `${owner}_avatars.sweep`,
    queue: 'maintenance',
    every: { seconds: daySeconds, offsetSeconds },
    async run({ objects, database, clock }, _, { signal }) {
      await sweep(objects, storageKey('avatars', owner), {
        signal,
        before: new Date(clock.now().getTime() - daySeconds * 1000),
        async recorded(keys) {
          const ids = new Set(keys.map((key) => Number(key.split('/')[2])))
          const rows = await rowsOf(database.read, [...ids])
          return new Set<string>(rows.flatMap(({ id, avatar }) => (avatar === null ? [] : [keyOf(owner, id, avatar)])))
        },
      })
    },
  }
}

/** The check that every avatar named in a row is stored. */
export function avatarCheck(owner: PictureOwner, rowsOf: AvatarRows): Check {
  return async function* missingAvatars({ database, objects }) {
    for (const { id, avatar } of await rowsOf(database.read)) {
      if (avatar === null || (await objects.head(keyOf(owner, id, avatar)))) continue
      yield `${owner} ${id}: its avatar is missing`
    }
  }
}

/**
 * The picture of a project or group, which the caller can see.
 * @throws ApiError 404 when it has none
 */
export async function avatarOf(
  storage: Storage,
  owner: PictureOwner,
  { id, avatar, visibility }: { id: number; avatar: string | null; visibility: Visibility },
): Promise<Raw> {
  if (avatar === null) throw notFound('Avatar')
  return send(storage, keyOf(owner, id, avatar), { name: avatarFile(avatar), isPublic: visibility === 'public' })
}

/** The visibility of an owner whose picture the caller may see; null of any other. Users and topics are public. */
async function visibilityFor(platform: Platform, owner: AvatarOwner, id: number, caller: () => Promise<Actor>) {
  if (owner === 'user' || owner === 'topic') return 'public'
  return platform.ports['users.seen_owner'](platform, owner, id, await caller())
}

/** The path parameters of a picture. */
type Address = { owner: string; owner_id: string; file: string }

const isOwner = (owner: string, rows: Readonly<Record<AvatarOwner, AvatarRows>>): owner is AvatarOwner =>
  Object.hasOwn(rows, owner)

/**
 * The picture at its address on the web: the one that the row of its owner names.
 * @param caller identifies the caller, where that matters
 * @throws ApiError 404, also when the caller may not see the project or group (contract 20 R8)
 */
export async function serveAvatar(
  platform: Platform,
  { owner, owner_id: id, file: name }: Address,
  caller: () => Promise<Actor>,
): Promise<Raw> {
  const rows = platform.ports['users.avatar_rows'](platform)
  if (!isOwner(owner, rows) || !/^\d{1,15}$/.test(id)) throw notFound()
  const [row] = await rows[owner](platform.database.read, [Number(id)])
  if (!row?.avatar || avatarFile(row.avatar) !== name) throw notFound()
  const visibility = await visibilityFor(platform, owner, row.id, caller)
  if (visibility === null) throw notFound()
  return send(platform, keyOf(owner, row.id, row.avatar), { name, isPublic: visibility === 'public' })
}

/**
 * A picture, sent so that browsers neither show it as a page nor run it.
 * @param isPublic whether caches may keep it for others
 * @throws ApiError 404
 */
async function send(
  { objects }: Storage,
  key: StorageKey,
  { name, isPublic }: { name: string; isPublic: boolean },
): Promise<Raw> {
  const picture = pictures.find(({ extensions }) => extensions.includes(parse(name).ext.slice(1)))
  const object = picture ? await objects.get(key) : null
  if (!object || !picture) throw notFound()
  return {
    headers: {
      'Content-Type': picture.contentType,
      'Content-Length': String(object.lengthBytes),
      'Content-Disposition': `inline; filename="${name}"`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cache-Control': `${isPublic ? 'public' : 'private'}, max-age=300`,
      'X-Content-Type-Options': 'nosniff',
    },
    body: object.stream,
  }
}
