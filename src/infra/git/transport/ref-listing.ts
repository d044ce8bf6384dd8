/** Lists refs for clients from a snapshot, without a process: for `ls-refs` of protocol version 2, and before a push. */
import { ZERO_SHA1 } from '../model/names.ts'
import type { RefSnapshot } from '../model/ref-snapshot.ts'
import type { PackedRef } from '../refs/packed-below.ts'

/** What a client asks of `ls-refs`. */
export type RefListing = {
  /** Only refs whose names begin with one of these; all refs when there is none. */
  prefixes: readonly string[]
  peel: boolean
  symrefs: boolean
  unborn: boolean
}

const FLUSH = '0000'
const DELIMITER = '0001'
const FLAGS = new Set(['peel', 'symrefs', 'unborn'])
const PREFIX = 'ref-prefix '

/** The lines of a request, with `0001` for the delimiter; null when it does not end with its first flush packet. */
function linesOf(request: Buffer): string[] | null {
  const lines: string[] = []
  for (let start = 0; start + 4 <= request.length; ) {
    const mark = request.toString('latin1', start, start + 4)
    if (mark === FLUSH) return start + 4 === request.length ? lines : null
    const length = mark === DELIMITER ? 4 : Number.parseInt(mark, 16)
    if (!(length >= 4) || start + length > request.length) return null
    lines.push(mark === DELIMITER ? DELIMITER : request.toString('utf8', start + 4, start + length).replace(/\n$/, ''))
    start += length
  }
  return null
}

/** Those of some folders of refs, such as `refs/notes`, below which a client may ask for refs. */
export function foldersAskedFor({ prefixes }: RefListing, folders: readonly string[]): string[] {
  const isAsked = (folder: string) =>
    prefixes.some((prefix) => `${folder}/`.startsWith(prefix) || prefix.startsWith(`${folder}/`))
  return prefixes.length === 0 ? [...folders] : folders.filter(isAsked)
}

/**
 * Reads a request.
 * @returns null for another command, and an incomplete or unusual request: git answers it
 */
export function listingIn(request: Buffer): RefListing | null {
  const lines = linesOf(request)
  const start = lines?.indexOf(DELIMITER) ?? -1
  if (!lines || start < 0) return null
  const [command, ...capabilities] = lines.slice(0, start)
  const isKnown = (one: string) => one.startsWith('agent=') || one === 'object-format=sha1'
  if (command !== 'command=ls-refs' || !capabilities.every(isKnown)) return null
  const asked = lines.slice(start + 1)
  const prefixes = asked.filter((line) => line.startsWith(PREFIX)).map((line) => line.slice(PREFIX.length))
  const flags = new Set(asked.filter((line) => !line.startsWith(PREFIX)))
  if ([...flags].some((flag) => !FLAGS.has(flag))) return null
  return { prefixes, peel: flags.has('peel'), symrefs: flags.has('symrefs'), unborn: flags.has('unborn') }
}

function packet(text: string): string {
  return `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`
}

/**
 * The answer to a request, as git writes it: HEAD, then the refs in the order of their names.
 * @param others sorted refs that are in no snapshot; their names are between those of branches and tags
 */
export function listedRefs(snapshot: RefSnapshot, others: readonly PackedRef[], listing: RefListing): string {
  const { head, branches, tags, branch } = snapshot
  const { prefixes, peel, symrefs, unborn } = listing
  const isAsked = (ref: string) => prefixes.length === 0 || prefixes.some((prefix) => ref.startsWith(prefix))
  const parts: string[] = []
  const target = branch(head.replace(/^refs\/heads\//, ''))?.oid
  if (isAsked('HEAD') && (target || (unborn && symrefs))) {
    parts.push(packet(`${target ?? 'unborn'} HEAD${symrefs ? ` symref-target:${head}` : ''}\n`))
  }
  for (const { name, oid } of branches) {
    if (isAsked(`refs/heads/${name}`)) parts.push(packet(`${oid} refs/heads/${name}\n`))
  }
  for (const { name, oid } of others) if (isAsked(name)) parts.push(packet(`${oid} ${name}\n`))
  for (const { name, oid, peeled } of tags) {
    const behind = peel && peeled !== oid ? ` peeled:${peeled}` : ''
    if (isAsked(`refs/tags/${name}`)) parts.push(packet(`${oid} refs/tags/${name}${behind}\n`))
  }
  return `${parts.join('')}${FLUSH}`
}

/**
 * What git sends before a push: all refs in the order of their names, and its capabilities behind the first one.
 * @param others as those of `listedRefs`
 */
export function announcedRefs(
  { branches, tags }: RefSnapshot,
  others: readonly PackedRef[],
  capabilities: string,
): string {
  const refs = [
    ...branches.map(({ name, oid }) => `${oid} refs/heads/${name}`),
    ...others.map(({ name, oid }) => `${oid} ${name}`),
    ...tags.map(({ name, oid }) => `${oid} refs/tags/${name}`),
  ]
  const [first = `${ZERO_SHA1} capabilities^{}`, ...rest] = refs
  return `${packet(`${first}\0${capabilities}\n`)}${rest.map((ref) => packet(`${ref}\n`)).join('')}${FLUSH}`
}
