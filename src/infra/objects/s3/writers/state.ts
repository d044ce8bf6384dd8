import { type Bucket, WRITING } from '../bucket.ts'
import { entriesOf } from '../listing.ts'

/*
 * A writer is a set of objects below `.writing/<id>/`, and its state is what a list of them says:
 *
 * - `begun`: the writer exists.
 * - `piece-<start>-<end>-<token>`: bytes of the upload, written by the request with this token. Pieces are never changed.
 * - `claim-<token>`: a request uses the writer. It is written again while the request runs; its time is the service's.
 * - `fence-<token>-<size>`: pieces of this token from this position on do not count.
 */

const PIECE = /^piece-(\d{16})-(\d{16})-([0-9a-f]+)$/
const CLAIM = /^claim-([0-9a-f]+)$/
const FENCE = /^fence-([0-9a-f]+)-(\d{16})$/

/** Bytes of an upload, from `start` to before `end`. */
export interface Piece {
  key: string
  token: string
  start: number
  end: number
}

/** What is stored of a writer. */
export interface WriterState {
  exists: boolean
  /** The pieces that follow each other from the first byte on. */
  pieces: Piece[]
  sizeBytes: number
  /** Pieces that do not count. */
  strays: Piece[]
  /** Requests that use the writer, by token: when they were last alive. */
  claims: Map<string, Date>
  /** The tokens of requests that lost the writer. */
  fenced: Set<string>
  /** The keys of everything. */
  keys: string[]
}

export function folderOf(id: string): string {
  return `${WRITING}${id}/`
}

export function begunKey(id: string): string {
  return `${folderOf(id)}begun`
}

export function claimKey(id: string, token: string): string {
  return `${folderOf(id)}claim-${token}`
}

export function fenceKey(id: string, token: string, sizeBytes: number): string {
  return `${folderOf(id)}fence-${token}-${digits(sizeBytes)}`
}

export function pieceKey(id: string, { start, end, token }: Omit<Piece, 'key'>): string {
  return `${folderOf(id)}piece-${digits(start)}-${digits(end)}-${token}`
}

function digits(position: number): string {
  return String(position).padStart(16, '0')
}

/** Reads the state of a writer: one request for each 1,000 pieces. */
export async function readState(bucket: Bucket, id: string): Promise<WriterState> {
  const state: WriterState = {
    exists: false,
    pieces: [],
    sizeBytes: 0,
    strays: [],
    claims: new Map(),
    fenced: new Set(),
    keys: [],
  }
  const found: Piece[] = []
  const fences = new Map<string, number>()
  for await (const { key, modifiedAt } of entriesOf(bucket, folderOf(id))) {
    state.keys.push(key)
    const name = key.slice(folderOf(id).length)
    const [, start, end, token = ''] = PIECE.exec(name) ?? []
    const [, claimant] = CLAIM.exec(name) ?? []
    const [, loser, size] = FENCE.exec(name) ?? []
    if (name === 'begun') state.exists = true
    else if (start !== undefined) found.push({ key, token, start: Number(start), end: Number(end) })
    else if (claimant !== undefined) state.claims.set(claimant, modifiedAt)
    else if (loser !== undefined) fences.set(loser, Math.min(Number(size), fences.get(loser) ?? Number(size)))
  }
  state.fenced = new Set(fences.keys())
  for (const piece of found) {
    const isFenced = piece.start >= (fences.get(piece.token) ?? Number.POSITIVE_INFINITY)
    if (isFenced || piece.start !== state.sizeBytes) {
      state.strays.push(piece)
      continue
    }
    state.pieces.push(piece)
    state.sizeBytes = piece.end
  }
  return state
}
