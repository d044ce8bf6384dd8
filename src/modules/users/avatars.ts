import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { parse } from 'node:path'
import { invalid, notFound, type Raw, type UploadedFile } from '../../api/index.ts'
import { type ObjectStore, type StorageKey, storageKey } from '../../infra/objects/index.ts'

/** Whose avatar it is; the word stands in the address. */
export type AvatarOwner = 'user' | 'project' | 'group'

/** An uploaded picture that was looked at: it may be stored, under this name. */
export type Avatar = { name: string; path: string; sizeBytes: number }

const largestBytes = 200 * 1024

type Picture = { contentType: string; extensions: readonly [string, ...string[]]; isOne(head: Buffer): boolean }

const begins =
  (...beginnings: readonly (string | number[])[]) =>
  (head: Buffer) =>
    beginnings.some((beginning) => {
      const bytes = typeof beginning === 'string' ? Buffer.from(beginning, 'latin1') : Buffer.from(beginning)
      return head.subarray(0, bytes.length).equals(bytes)
    })

/** The formats that are taken, known by how their files begin: what the name or the sender says does not count. */
const pictures: readonly Picture[] = [
  { contentType: 'image/png', extensions: ['png'], isOne: begins([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
  { contentType: 'image/jpeg', extensions: ['jpg', 'jpeg'], isOne: begins([0xff, 0xd8, 0xff]) },
  { contentType: 'image/gif', extensions: ['gif'], isOne: begins('GIF87a', 'GIF89a') },
  // "BM" is a beginning of many texts as well; the four bytes behind the size are zero in every picture.
  {
    contentType: 'image/bmp',
    extensions: ['bmp'],
    isOne: (head) => begins('BM')(head) && head.length > 13 && head.readUInt32LE(6) === 0,
  },
  { contentType: 'image/tiff', extensions: ['tiff', 'tif'], isOne: begins('II*\0', 'MM\0*') },
  { contentType: 'image/vnd.microsoft.icon', extensions: ['ico'], isOne: begins([0, 0, 1, 0]) },
]

const unsupported = () =>
  invalid({
    avatar: [
      'file format is not supported. Please try one of the following supported formats: ' +
        pictures.map(({ contentType }) => contentType).join(', '),
    ],
  })

/** A name that is safe in an address and as a part of a storage key, with an ending that tells what the file is. */
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

/**
 * Looks at an uploaded picture (contract 20 R8).
 * @throws ApiError 400 when it is larger than 200 KiB or of no format that is taken
 */
export async function readAvatar(file: UploadedFile): Promise<Avatar> {
  if (file.sizeBytes > largestBytes) throw invalid({ avatar: ['is too big (should be at most 200 KiB)'] })
  const head = await headOf(file.path)
  const picture = pictures.find(({ isOne }) => isOne(head))
  if (!picture) throw unsupported()
  return { name: safeName(file.filename, picture), path: file.path, sizeBytes: file.sizeBytes }
}

/** The avatars of users, projects and groups: files in the object store, whose names stand in the owners' rows. */
export type Avatars = {
  /** Stores a picture; the one of before stays until `removeOthers`, so that a failure in between breaks nothing. */
  put(owner: AvatarOwner, id: number, avatar: Avatar): Promise<void>
  /** Removes all pictures of an owner but the one that is called `name`. */
  removeOthers(owner: AvatarOwner, id: number, name: string | null): Promise<void>
  /** Whether the picture that a row names is there. */
  exists(owner: AvatarOwner, id: number, name: string): Promise<boolean>
  /**
   * The picture as it is sent to a browser: never as a page, and never as something that runs.
   * @throws ApiError 404 when there is none
   */
  serve(owner: string, id: string, name: string): Promise<Raw>
}

const owners: readonly string[] = ['user', 'project', 'group'] satisfies AvatarOwner[]
const nameShape = /^[A-Za-z0-9_-]{1,100}\.[a-z]{3,4}$/

function keyOf(owner: string, id: string | number, name: string): StorageKey | null {
  if (!owners.includes(owner) || !/^\d{1,15}$/.test(String(id)) || !nameShape.test(name)) return null
  return storageKey('avatars', owner, Number(id), name)
}

export function createAvatars({ objects }: { objects: ObjectStore }): Avatars {
  return {
    async put(owner, id, { name, path, sizeBytes }) {
      await objects.put(storageKey('avatars', owner, id, name), createReadStream(path), { sizeBytes })
    },
    async removeOthers(owner, id, name) {
      const kept = name === null ? null : storageKey('avatars', owner, id, name)
      for await (const { key } of objects.list(storageKey('avatars', owner, id))) {
        if (key !== kept) await objects.delete(key)
      }
    },
    async exists(owner, id, name) {
      return (await objects.head(storageKey('avatars', owner, id, name))) !== null
    },
    async serve(owner, id, name) {
      const key = keyOf(owner, id, name)
      const picture = pictures.find(({ extensions }) => extensions.includes(parse(name).ext.slice(1)))
      const object = key && picture ? await objects.get(key) : null
      if (!object || !picture) throw notFound()
      return {
        headers: {
          'Content-Type': picture.contentType,
          'Content-Length': String(object.lengthBytes),
          'Content-Disposition': `inline; filename="${name}"`,
          'Content-Security-Policy': "default-src 'none'; sandbox",
          'Cache-Control': 'public, max-age=300',
          'X-Content-Type-Options': 'nosniff',
        },
        body: object.stream,
      }
    },
  }
}
