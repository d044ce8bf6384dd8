/** Answers the command `ls-refs` of protocol version 2 from a snapshot of the refs, without a process. */
import type { RefSnapshot } from '../model/ref-snapshot.ts'

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

/** Whether a ref below one of these may begin with a prefix. */
function mayBeBelow(others: readonly string[], prefix: string): boolean {
  return others.some((refs) => `${refs}/`.startsWith(prefix) || prefix.startsWith(`${refs}/`))
}

/**
 * Reads a request.
 * @param others refs that the client sees and that are in no snapshot
 * @returns null for another command, an incomplete or unusual request, and one that may ask for refs that are in no snapshot: git
 * answers it
 */
export function listingIn(request: Buffer, others: readonly string[]): RefListing | null {
  const lines = linesOf(request)
  const start = lines?.indexOf(DELIMITER) ?? -1
  if (!lines || start < 0) return null
  const [command, ...capabilities] = lines.slice(0, start)
  const isKnown = (one: string) => one.startsWith('agent=') || one === 'object-format=sha1'
  if (command !== 'command=ls-refs' || !capabilities.every(isKnown)) return null
  const asked = lines.slice(start + 1)
  const prefixes = asked.filter((line) => line.startsWith(PREFIX)).map((line) => line.slice(PREFIX.length))
  const flags = new Set(asked.filter((line) => !line.startsWith(PREFIX)))
  if (prefixes.length === 0 || prefixes.some((prefix) => mayBeBelow(others, prefix))) return null
  if ([...flags].some((flag) => !FLAGS.has(flag))) return null
  return { prefixes, peel: flags.has('peel'), symrefs: flags.has('symrefs'), unborn: flags.has('unborn') }
}

function packet(text: string): string {
  return `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`
}

/** The answer to a request, as git writes it: HEAD, then the refs in the order of their names. */
export function listedRefs({ head, branches, tags, branch }: RefSnapshot, listing: RefListing): string {
  const { prefixes, peel, symrefs, unborn } = listing
  const isAsked = (ref: string) => prefixes.some((prefix) => ref.startsWith(prefix))
  const parts: string[] = []
  const target = branch(head.replace(/^refs\/heads\//, ''))?.oid
  if (isAsked('HEAD') && (target || (unborn && symrefs))) {
    parts.push(packet(`${target ?? 'unborn'} HEAD${symrefs ? ` symref-target:${head}` : ''}\n`))
  }
  for (const { name, oid } of branches) {
    if (isAsked(`refs/heads/${name}`)) parts.push(packet(`${oid} refs/heads/${name}\n`))
  }
  for (const { name, oid, peeled } of tags) {
    const behind = peel && peeled !== oid ? ` peeled:${peeled}` : ''
    if (isAsked(`refs/tags/${name}`)) parts.push(packet(`${oid} refs/tags/${name}${behind}\n`))
  }
  return `${parts.join('')}${FLUSH}`
}
