/** The messages between the hooks (`hooks/gate.sh`) and the gate. */
import { GitError } from '../model/errors.ts'
import { branchRef, isZeroOid, type Oid, parseOid, type RefName, refName, tagRef } from '../model/names.ts'
import type { Quarantine, RefChange } from '../model/types.ts'

type HookName = 'pre-receive' | 'proc-receive'

/** The question of a hook. A change of a ref with an illegal name has `ref: null`. `proc-receive` does not repeat the changes. */
export type HookQuestion = {
  hook: HookName
  quarantine: Quarantine
  pushOptions: string[]
  changes: { ref: RefName | null; old: Oid; new: Oid }[]
}

/** The maximal size of a question, in bytes. */
const QUESTION_BYTES = 64 * 1024 * 1024
const NUL = 0x00
/** Hook, object directory, alternates, number of options. The options and the changes follow. */
const FIXED_FIELDS = 4

/**
 * Creates a parser for the questions of hooks.
 * @param onQuestion called for each complete question
 * @returns a function that takes the next chunk; it throws GitError `invalid_input` for a malformed question
 */
export function questionReader(onQuestion: (question: HookQuestion) => void): (chunk: Uint8Array) => void {
  let fields: Buffer[] = []
  let rest: Buffer[] = []
  let size = 0
  return (bytes) => {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    size += chunk.length
    if (size > QUESTION_BYTES) throw new GitError('invalid_input', 'the push contains too many refs')
    let start = 0
    for (let end = chunk.indexOf(NUL); end >= 0; end = chunk.indexOf(NUL, start)) {
      fields.push(Buffer.concat([...rest, chunk.subarray(start, end)]))
      rest = []
      start = end + 1
      if (fields.length < FIXED_FIELDS || fields.length <= FIXED_FIELDS + optionCount(fields)) continue
      const question = parseQuestion(fields)
      fields = []
      size = 0
      onQuestion(question)
    }
    if (start < chunk.length) rest.push(chunk.subarray(start))
  }
}

function optionCount(fields: readonly Buffer[]): number {
  const text = fields[FIXED_FIELDS - 1]?.toString() ?? ''
  if (!/^\d{1,6}$/.test(text)) throw new GitError('invalid_input', 'a hook sent a malformed question')
  return Number(text)
}

function parseQuestion(fields: readonly Buffer[]): HookQuestion {
  const [hook, objectDirectory, alternateObjectDirectories] = fields.map(String)
  if (hook !== 'pre-receive' && hook !== 'proc-receive')
    throw new GitError('invalid_input', 'an unknown hook sent a question')
  return {
    hook,
    quarantine: {
      objectDirectory: objectDirectory ?? '',
      alternateObjectDirectories: alternateObjectDirectories ?? '',
    },
    pushOptions: fields.slice(FIXED_FIELDS, -1).map(String),
    changes: lines(fields.at(-1) ?? Buffer.alloc(0)).map(parseChange),
  }
}

function lines(text: Buffer): Buffer[] {
  const found: Buffer[] = []
  let start = 0
  for (let end = text.indexOf(0x0a); end >= 0; end = text.indexOf(0x0a, start)) {
    found.push(text.subarray(start, end))
    start = end + 1
  }
  if (start < text.length) found.push(text.subarray(start))
  return found
}

/** `<old> <new> <ref>`. */
function parseChange(line: Buffer): HookQuestion['changes'][number] {
  const text = line.toString('utf8')
  const first = text.indexOf(' ')
  const second = text.indexOf(' ', first + 1)
  const old = parseOid(text.slice(0, first))
  const target = parseOid(text.slice(first + 1, second))
  if (old === null || target === null) throw new GitError('invalid_input', 'a hook sent a malformed question')
  const isUtf8 = !text.includes('\ufffd') || Buffer.from(text).equals(line)
  return { old, new: target, ref: isUtf8 ? pushedRef(text.slice(second + 1), isZeroOid(target)) : null }
}

/** Names of branches and tags are restricted further. An existing illegal name may still be deleted (contract 01 "Names"). */
function pushedRef(text: string, deleted: boolean): RefName | null {
  if (deleted) return refName(text)
  if (text.startsWith('refs/heads/')) return branchRef(text.slice('refs/heads/'.length))
  if (text.startsWith('refs/tags/')) return tagRef(text.slice('refs/tags/'.length))
  return refName(text)
}

/** Control characters would reach the pusher's terminal, and a line break would be taken for the verdict. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g

/** Builds the answer to a hook: lines for the pusher, then the verdict. */
export function hookAnswer(accept: boolean, messages: readonly string[]): Buffer {
  return Buffer.from(`${shown(messages)}${accept ? 'accept' : 'refuse'}\n`)
}

function shown(messages: readonly string[]): string {
  const lines = messages.flatMap((message) => message.split('\n'))
  return lines.map((line) => `:${line.replace(CONTROL, '')}\n`).join('')
}

/**
 * Builds the answer to `proc-receive`: lines for the pusher, then the report that receive-pack reads, a pkt-line for each ref.
 * @param refused why a ref has not moved
 */
export function reportAnswer(
  changes: readonly RefChange[],
  refused: ReadonlyMap<RefName, string>,
  messages: readonly string[],
): Buffer {
  const lines = changes.map(({ ref }) => packet(refused.has(ref) ? `ng ${ref} ${refused.get(ref)}` : `ok ${ref}`))
  const text = `${lines.join('')}0000`
  if (SHORT.test(text)) return Buffer.from(`${shown(messages)}print ${text}\n`)
  return Buffer.from(`${shown(messages)}report ${Buffer.byteLength(text)}\n${text}`)
}

/** What a shell prints unchanged by itself. */
const SHORT = /^[\x20-\x7e]{0,1024}$/

function packet(text: string): string {
  return `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`
}

/** Returns the changes; null when one of them has an illegal name. */
export function legalChanges(changes: HookQuestion['changes']): RefChange[] | null {
  const legal: RefChange[] = []
  for (const { ref, old, new: target } of changes) {
    if (ref === null) return null
    legal.push({ ref, old, new: target })
  }
  return legal
}
