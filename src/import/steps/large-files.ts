import { Readable } from 'node:stream'
import { isObject } from '../../infra/json/index.ts'
import { handled } from '../../infra/streams/index.ts'
import { NotBrought } from '../clients/errors.ts'
import { bytesOf, jsonOf, refusalOf } from '../clients/sending.ts'
import type { ApiServer } from '../clients/server.ts'
import { type Item, itemOf, itemsOf, numberOf, textOf } from '../clients/values.ts'
import { verified } from '../clients/verified.ts'
import { attempt, type Copy, type ImportContext, type Place, rateOf } from './context.ts'

type LargeFile = { oid: string; size: number }

/** The sizes of files that can be pointers. */
const pointerBytes = { least: 100, most: 1024 }
const pointer =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n/
/** How many files are asked for at once. */
const batchSize = 100

/** The pointers to large files in all commits, each once. */
async function* pointersOf({ git }: ImportContext, { folder }: Copy): AsyncGenerator<LargeFile> {
  const seen = new Set<string>()
  for await (const content of contentsOf(
    git.stream({ folder, parameters: ['cat-file', '--batch', '--buffer'], input: small() }),
  )) {
    const [, oid, size] = pointer.exec(content) ?? []
    if (oid === undefined || seen.has(oid)) continue
    seen.add(oid)
    yield { oid, size: Number(size) }
  }
  function small(): Readable {
    const format = '--batch-check=%(objectname) %(objecttype) %(objectsize)'
    const parameters = ['cat-file', '--batch-all-objects', '--unordered', '--buffer', format]
    return handled(Readable.from(smallBlobs(git.lines({ folder, parameters }))))
  }
}

/** The names of blobs that can be pointers, as lines. */
async function* smallBlobs(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) {
    const [name, type, size] = line.split(' ')
    const bytes = Number(size)
    if (type === 'blob' && bytes >= pointerBytes.least && bytes <= pointerBytes.most) yield `${name}\n`
  }
}

/** The contents in an output of `cat-file --batch`: of each a line with its size in bytes, its bytes, and the end of a line. */
async function* contentsOf(output: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let held = Buffer.alloc(0)
  for await (const chunk of output) {
    held = Buffer.concat([held, chunk])
    for (;;) {
      const end = held.indexOf('\n')
      const size = end < 0 ? Number.NaN : Number(held.toString('latin1', 0, end).split(' ')[2])
      if (Number.isNaN(size) || held.length < end + 1 + size + 1) break
      yield held.toString('latin1', end + 1, end + 1 + size)
      held = held.subarray(end + 1 + size + 1)
    }
  }
}

/** Brings the large files (Git LFS) that the commits refer to, by the batch API. */
export async function bringLargeFiles(context: ImportContext, place: Place, copy: Copy): Promise<void> {
  const tell = rateOf(context, `${place.path}: large files`)
  const report = { key: `lfs ${place.from}`, place: place.path, what: 'large files (LFS)' }
  const bring = async (batch: LargeFile[]) => {
    await attempt(context, report, () => bringBatch(context, place, batch, tell))
  }
  await attempt(context, { ...report, key: `pointers ${place.from}` }, async () => {
    let batch: LargeFile[] = []
    for await (const file of pointersOf(context, copy)) {
      if (context.state.value(`lfs ${place.from} ${file.oid}`) !== undefined) continue
      batch.push(file)
      if (batch.length < batchSize) continue
      await bring(batch)
      batch = []
    }
    if (batch.length > 0) await bring(batch)
  })
}

const mediaType = 'application/vnd.git-lfs+json'

/** What a server says about files of a batch, by their oids. */
async function askBatch(server: ApiServer, path: string, operation: 'download' | 'upload', objects: LargeFile[]) {
  const url = new URL(`${server.url}/${path}.git/info/lfs/objects/batch`)
  const headers = { Authorization: server.basic, Accept: mediaType, 'Content-Type': mediaType }
  const body = JSON.stringify({ operation, transfers: ['basic'], objects, hash_algo: 'sha256' })
  const response = await server.sendPlain(url, { method: 'POST', headers, body, repeatable: true })
  if (!response.ok) throw await refusalOf(server.side, response)
  const answer = await jsonOf(response)
  const found = isObject(answer) ? itemsOf(answer, 'objects') : []
  return new Map(found.map((item) => [textOf(item, 'oid'), item]))
}

async function bringBatch(context: ImportContext, place: Place, batch: LargeFile[], tell: () => void): Promise<void> {
  const { source, target, state } = context
  const [offered, wanted] = [
    await askBatch(source, place.path, 'download', batch),
    await askBatch(target, place.path, 'upload', batch),
  ]
  for (const file of batch) {
    const key = `lfs ${place.from} ${file.oid}`
    await attempt(context, { key: `item ${key}`, place: place.path, what: `large file ${file.oid}` }, async () => {
      const upload = actionOf(wanted.get(file.oid), 'upload')
      // Without one, the target has the file.
      if (upload) await bringFile(context, file, actionOf(offered.get(file.oid), 'download'), upload)
      state.finish(key, file.size)
    })
    tell()
  }
}

/** @throws NotBrought with the error of the server */
function actionOf(object: Item | undefined, name: string): Item | undefined {
  const error = object && itemOf(object, 'error')
  if (error) throw new NotBrought(`${textOf(error, 'message') ?? 'the server refuses it'} (${numberOf(error, 'code')})`)
  return itemOf((object && itemOf(object, 'actions')) ?? {}, name)
}

/** Where an action sends a request, and its headers. Another host than that of the server does not get the token. */
function requestOf(server: ApiServer, action: Item | undefined): { url: URL; headers: Record<string, string> } {
  const href = action && textOf(action, 'href')
  if (href === undefined || !URL.canParse(href)) throw new NotBrought('the server names no address for it')
  const url = server.named(new URL(href))
  if (!['http:', 'https:'].includes(url.protocol)) throw new NotBrought('the server names no address of HTTP for it')
  const given = Object.entries(itemOf(action ?? {}, 'header') ?? {})
  const headers: Record<string, string> = {}
  for (const [name, value] of given) {
    if (typeof value !== 'string' || !/^[a-z0-9-]+$/i.test(name) || !/^[\x20-\x7e]*$/.test(value)) continue
    if (!server.isOwn(url) && server.isRevealing(value))
      throw new NotBrought(`its address is at ${url.origin}, where the token is not sent`)
    headers[name] = value
  }
  const isSignedIn = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
  if (server.isOwn(url) && !isSignedIn) headers.Authorization = server.basic
  return { url, headers }
}

async function bringFile(
  context: ImportContext,
  file: LargeFile,
  download: Item | undefined,
  upload: Item,
): Promise<void> {
  const { source, target } = context
  const from = requestOf(source, download)
  const response = await source.download(from.url, from.headers)
  const to = requestOf(target, upload)
  const body = verified(response, { sha256: file.oid, size: file.size })
  const headers = { 'Content-Type': 'application/octet-stream', ...to.headers, 'Content-Length': String(file.size) }
  const stored = await target.sendPlain(to.url, { method: 'PUT', headers, body })
  if (!stored.ok) throw await refusalOf('target', stored)
  await bytesOf(stored)
}
