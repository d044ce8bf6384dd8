/**
 * Parses `diff-tree --raw -z --patch`: all changed paths, each ended by NUL, another NUL, then the patches in the same order.
 * Names are taken from the first part, where they are not quoted.
 */
import { GitError } from '../model/errors.ts'
import { type Oid, parseOid } from '../model/names.ts'
import type { FileDiff } from '../model/reading-types.ts'

export type DiffLimits = {
  /** The maximal number of files. */
  maxFiles: number
  /** Longer patches of a file are left out, in bytes. */
  maxPatchBytes: number
  /** The maximal total size of patches in the result, in bytes. Further patches are left out. */
  maxKeptBytes: number
  /** The maximal total number of lines of patches in the result. Further patches are left out. */
  maxLines: number
  /** The maximal number of bytes to read, which bounds git's time. Further patches are left out. */
  maxReadBytes: number
}

type DiffParser = {
  /** Parses the next chunk. @returns false when the rest of the output is not needed */
  push(chunk: Buffer): boolean
  files(): FileDiff[]
}

/** A changed path of the raw part. */
export type RawChange = {
  /** `A`, `D`, `M`, `R`, `T` … */
  status: string
  oldMode: string
  newMode: string
  oldOid: Oid | null
  newOid: Oid | null
}

const RAW = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*$/

/** Parses the part of a raw line before the names. @throws GitError `command_failed` for a malformed line */
export function parseRawChange(text: string): RawChange {
  const match = RAW.exec(text)
  if (match === null) throw new GitError('command_failed', 'git printed a malformed change')
  const [, oldMode = '', newMode = '', oldOid = '', newOid = '', status = ''] = match
  return { status, oldMode: modeOf(oldMode), newMode: modeOf(newMode), oldOid: idOf(oldOid), newOid: idOf(newOid) }
}

function modeOf(text: string): string {
  return text === '000000' ? '0' : text
}

function idOf(text: string): Oid | null {
  return /^0+$/.test(text) ? null : parseOid(text)
}

/** The number of names after a raw line. */
function nameCount({ status }: RawChange): 1 | 2 {
  return status === 'R' || status === 'C' ? 2 : 1
}

/** Creates a parser for the output of one command. `push` throws GitError `command_failed` for malformed output, `too_large` for too long names. */
export function diffParser(limits: DiffLimits): DiffParser {
  const files: FileDiff[] = []
  const raw = rawReader((change, names) => {
    if (files.length < limits.maxFiles) files.push(...filesOf(change, names).slice(0, limits.maxFiles - files.length))
  })
  const patches = patchReader(files, limits)
  let isRaw = true
  return {
    push(chunk) {
      if (!isRaw) return patches.push(chunk)
      const end = raw(chunk)
      if (end < 0) return true
      isRaw = false
      return patches.push(chunk.subarray(end))
    },
    files() {
      patches.end()
      return files
    },
  }
}

/** A change of type is split into a removal and an addition, as in git's patch. */
function filesOf(change: RawChange, names: readonly Buffer[]): FileDiff[] {
  const { status, oldMode, newMode, oldOid, newOid } = change
  const [oldPath = '', newPath = oldPath] = names.map((name) => name.toString('utf8'))
  const rest = { oldPath, newPath, patch: '', binary: false, tooLarge: false }
  if (status !== 'T') return [{ ...rest, oldMode, newMode, oldOid, newOid, status: statusOf(status) }]
  return [
    { ...rest, oldMode, newMode: '0', oldOid, newOid: null, status: 'deleted' },
    { ...rest, oldMode: '0', newMode, oldOid: null, newOid, status: 'added' },
  ]
}

function statusOf(letter: string): FileDiff['status'] {
  return letter === 'A' ? 'added' : letter === 'D' ? 'deleted' : letter === 'R' ? 'renamed' : 'modified'
}

/** The maximal length of names, in bytes: longer than any path that can be checked out. */
const NAME_BYTES = 1024 * 1024

/** Parses the raw part in chunks. @returns the offset at which it ends in this chunk, or -1 */
function rawReader(onChange: (change: RawChange, names: readonly Buffer[]) => void): (chunk: Buffer) => number {
  let rest: Buffer[] = []
  let restBytes = 0
  let change: RawChange | null = null
  let names: Buffer[] = []

  function onField(field: Buffer): void {
    if (change === null) {
      change = parseRawChange(field.toString('latin1'))
      return
    }
    names.push(field)
    if (names.length < nameCount(change)) return
    onChange(change, names)
    change = null
    names = []
  }

  return (chunk) => {
    let start = 0
    for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, start)) {
      const field = Buffer.concat([...rest, chunk.subarray(start, at)])
      rest = []
      restBytes = 0
      start = at + 1
      if (field.length === 0 && change === null) return start
      onField(field)
    }
    rest.push(chunk.subarray(start))
    restBytes += chunk.length - start
    if (restBytes > NAME_BYTES) throw new GitError('too_large', 'git printed a name that is too long')
    return -1
  }
}

const NEWLINE = 0x0a
/** The first letter of `diff --git`. No line of a patch begins with it. */
const SECTION = 0x64
const HUNK = 0x40
/** How much of a header line is needed to recognise it, in bytes. */
const HEADER_BYTES = 16

function linesIn(patch: Buffer): number {
  let count = 0
  for (let at = patch.indexOf(NEWLINE); at >= 0; at = patch.indexOf(NEWLINE, at + 1)) count += 1
  return count
}

/** Parses the patches, which have the order of the files. */
function patchReader(files: readonly FileDiff[], limits: DiffLimits): { push(chunk: Buffer): boolean; end(): void } {
  let index = -1
  let isInPatch = false
  let isLineStart = true
  let header = ''
  let pieces: Buffer[] = []
  let fileBytes = 0
  let keptBytes = 0
  let keptLines = 0
  let readBytes = 0
  let isFull = false

  /** Leaves out all further patches. */
  function leaveOut(from: number): void {
    isFull = true
    for (const file of files.slice(Math.max(from, 0))) file.tooLarge = true
  }

  function closeFile(): void {
    const file = files[index]
    if (isFull || file === undefined) return
    if (fileBytes > limits.maxPatchBytes) file.tooLarge = true
    else {
      const patch = Buffer.concat(pieces)
      keptBytes += fileBytes
      keptLines += linesIn(patch)
      if (keptBytes > limits.maxKeptBytes || keptLines > limits.maxLines) leaveOut(index)
      else file.patch = patch.toString('utf8')
    }
    pieces = []
    fileBytes = 0
  }

  function onHeader(): void {
    const file = files[index]
    if (header.startsWith('diff --git ')) {
      closeFile()
      index += 1
    } else if (header.startsWith('Binary files ') && file !== undefined) file.binary = true
    header = ''
  }

  function keep(piece: Buffer): void {
    fileBytes += piece.length
    if (fileBytes <= limits.maxPatchBytes) pieces.push(piece)
    else pieces = []
  }

  /** Parses a line or a run of lines from `start`. @returns its end */
  function take(chunk: Buffer, start: number): number {
    if (isLineStart && chunk[start] === (isInPatch ? SECTION : HUNK)) isInPatch = !isInPatch
    if (isInPatch) {
      const next = chunk.indexOf('\nd', start, 'latin1')
      const end = next < 0 ? chunk.length : next + 1
      keep(chunk.subarray(start, end))
      isLineStart = chunk[end - 1] === NEWLINE
      return end
    }
    const newline = chunk.indexOf(NEWLINE, start)
    const end = newline < 0 ? chunk.length : newline + 1
    header += chunk.toString('latin1', start, Math.min(end, start + HEADER_BYTES - header.length))
    isLineStart = newline >= 0
    if (isLineStart) onHeader()
    return end
  }

  return {
    push(chunk) {
      readBytes += chunk.length
      for (let offset = 0; offset < chunk.length && !isFull; ) offset = take(chunk, offset)
      if (readBytes > limits.maxReadBytes && !isFull) leaveOut(index)
      return !isFull && index < files.length
    },
    end: closeFile,
  }
}
