/**
 * Reads `diff-tree --raw -z --patch`: first every changed path, ended by NUL, then, after one NUL more, the patches in the same order.
 * Names are taken from the first part alone, where nothing is quoted.
 */
import { GitError } from '../model/errors.ts'
import { type Oid, parseOid } from '../model/names.ts'
import type { FileDiff } from '../model/reading-types.ts'

export type DiffLimits = {
  /** Files from here on are left out. */
  maxFiles: number
  /** A file's patch above this is left out, in bytes. */
  maxPatchBytes: number
  /** Once so much has been kept, the patches of all further files are left out, in bytes. */
  maxKeptBytes: number
  /** Once so much has been read, kept or not, likewise: git's time costs as well. */
  maxReadBytes: number
}

export type DiffParser = {
  /** Takes what comes next. False when nothing that follows would be kept. */
  push(chunk: Buffer): boolean
  files(): FileDiff[]
}

/** One changed path of the raw part. */
export type RawChange = {
  /** `A`, `D`, `M`, `R`, `T` … */
  status: string
  oldMode: string
  newMode: string
  oldOid: Oid | null
  newOid: Oid | null
}

const RAW = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*$/

/** The part of a raw line before the names. @throws GitError `command_failed` when it is no such line */
export function parseRawChange(text: string): RawChange {
  const match = RAW.exec(text)
  if (match === null) throw new GitError('command_failed', 'git printed something that is no change')
  const [, oldMode = '', newMode = '', oldOid = '', newOid = '', status = ''] = match
  return { status, oldMode: modeOf(oldMode), newMode: modeOf(newMode), oldOid: idOf(oldOid), newOid: idOf(newOid) }
}

function modeOf(text: string): string {
  return text === '000000' ? '0' : text
}

function idOf(text: string): Oid | null {
  return /^0+$/.test(text) ? null : parseOid(text)
}

/** How many names follow a raw line. */
export function nameCount({ status }: RawChange): 1 | 2 {
  return status === 'R' || status === 'C' ? 2 : 1
}

/** A parser for one command's output. `push` throws GitError `command_failed` for what git would not print, `too_large` for endless names. */
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

/** What changes its type is a removal and an addition, as in the patch that git makes of it. */
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

/** Longer than any path that could be checked out. */
const NAME_BYTES = 1024 * 1024

/** Takes chunks; returns where the raw part ends in this one, or -1 while it goes on. */
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
/** The first letter of `diff --git`; no line of a patch begins with it. */
const SECTION = 0x64
const HUNK = 0x40
/** As much of a header line as tells what it is. */
const HEADER_BYTES = 16

/** Fills in the patches of the files, which come in the files' order. */
function patchReader(files: readonly FileDiff[], limits: DiffLimits): { push(chunk: Buffer): boolean; end(): void } {
  let index = -1
  let isInPatch = false
  let isLineStart = true
  let header = ''
  let kept: Buffer[] = []
  let fileBytes = 0
  let keptBytes = 0
  let readBytes = 0
  let isFull = false

  /** From here on nothing is kept, and nothing more is known. */
  function leaveOut(from: number): void {
    isFull = true
    for (const file of files.slice(Math.max(from, 0))) file.tooLarge = true
  }

  function closeFile(): void {
    const file = files[index]
    if (isFull || file === undefined) return
    if (fileBytes > limits.maxPatchBytes) file.tooLarge = true
    else if (keptBytes + fileBytes > limits.maxKeptBytes) leaveOut(index)
    else {
      file.patch = Buffer.concat(kept).toString('utf8')
      keptBytes += fileBytes
    }
    kept = []
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
    if (fileBytes <= limits.maxPatchBytes) kept.push(piece)
    else kept = []
  }

  /** Takes as much as belongs together, beginning at `start`; returns its end. */
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
