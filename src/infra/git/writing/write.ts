/** Writes commits by one `fast-import` (without work tree and index), and tags by `mktag`. Moves no ref. */

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { GitError } from '../model/errors.ts'
import { type Oid, parseOid, refName, type TreePath } from '../model/names.ts'
import type { FileChange, NewCommit, NewTag, Person, Quarantine, SizedStream } from '../model/types.ts'
import type { RepositoryContext } from '../objects/context.ts'
import type { Command } from '../process/command.ts'
import { failure } from '../process/runner.ts'
import { closed } from '../process/transfer.ts'

/**
 * `fast-import` creates commits on a branch. This one exists only in its memory: it is deleted before the end, so no ref is written.
 */
const SCRATCH = 'refs/fennec/scratch'
/** A commit with more content stays in the pack that was written, in bytes. */
const KEEP_PACK_BYTES = 1024 * 1024

/**
 * Writes a commit into quarantine. Removing a path that does not exist does nothing; writing `a/b` over a file `a` replaces it.
 * @throws GitError `object_missing` when the parent or an object of a change does not exist; `invalid_input` for a NUL in the message,
 * an invalid date, or a stream whose length differs from `sizeBytes`
 */
export async function createCommit(
  { runner, directory }: RepositoryContext,
  commit: NewCommit,
  quarantine: Quarantine,
): Promise<Oid> {
  const header = commitHeader(commit)
  const command: Command = {
    subcommand: 'fast-import',
    flags: ['--quiet', '--done', '--date-format=raw'],
    directory,
    quarantine,
    // Small commits become loose objects, like pushes of that size; unpacking large content would compress it twice.
    config: contentBytes(commit.changes) > KEEP_PACK_BYTES ? [['fastimport.unpackLimit', '1']] : [],
  }
  const job = await runner.stream(command, { stdin: 'socket', queue: 'command' })
  let output = ''
  job.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString('latin1')
  })
  const drained = closed(job.stdout!)
  try {
    await write(job.stdin!, header)
    for (const change of commit.changes) await writeChange(job.stdin!, change)
    await write(job.stdin!, `\nget-mark :1\nreset ${SCRATCH}\n\ndone\n`)
    job.stdin!.end()
  } catch (error) {
    // When git ended early, its message has the reason. Otherwise the content failed, and the commit is discarded.
    if (!job.stdin!.destroyed || (error instanceof GitError && error.code === 'invalid_input')) {
      job.kill()
      await job.exit.catch(() => {})
      throw error
    }
  }
  const [exit] = await Promise.all([job.exit, drained])
  const oid = parseOid(output.trim())
  if (exit.exitCode === 0 && oid !== null) return oid
  // Deletes the crash report that it has written to the repository.
  await rm(join(directory, `fast_import_crash_${job.pid}`), { force: true })
  if (/Not a valid commit|not found|Not a (?:blob|commit)|Missing from/i.test(exit.stderr)) {
    throw new GitError('object_missing', 'the parent or an object of the commit is not there', { stderr: exit.stderr })
  }
  throw failure(command, exit)
}

function contentBytes(changes: readonly FileChange[]): number {
  let total = 0
  for (const change of changes) {
    if ('oid' in change || change.content === null) continue
    total += Buffer.isBuffer(change.content) ? change.content.length : change.content.sizeBytes
  }
  return total
}

function commitHeader({ parent, author, committer, message }: NewCommit): string {
  if (message.includes('\0')) throw new GitError('invalid_input', 'a commit message must not contain NUL')
  return [
    `commit ${SCRATCH}`,
    'mark :1',
    `author ${identity(author)}`,
    `committer ${identity(committer)}`,
    data(message),
    ...(parent === null ? [] : [`from ${parent}`]),
    '',
  ].join('\n')
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`
}

/** Formats `Name <email> seconds +0000`, without the delimiter characters, which git drops as well. */
export function identity({ name, email, date }: Person): string {
  const seconds = Math.floor(Date.parse(date) / 1_000)
  if (!Number.isFinite(seconds) || seconds < 0) throw new GitError('invalid_input', `not a date: ${date}`)
  const cleanEmail = clean(email)
  return `${clean(name) || cleanEmail || 'unknown'} <${cleanEmail}> ${seconds} +0000`
}

function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
  return text.replace(/[\u0000-\u001f\u007f<>]/g, '').trim()
}

async function writeChange(stdin: Writable, change: FileChange): Promise<void> {
  const path = quotedPath(change.path)
  if ('oid' in change) return write(stdin, `M ${change.mode} ${change.oid} ${path}\n`)
  if (change.content === null) return write(stdin, `D ${path}\n`)
  const { content, mode = '100644' } = change
  const sizeBytes = Buffer.isBuffer(content) ? content.length : content.sizeBytes
  await write(stdin, `M ${mode} inline ${path}\ndata ${sizeBytes}\n`)
  if (Buffer.isBuffer(content)) await write(stdin, content)
  else await writeStream(stdin, content)
  await write(stdin, '\n')
}

async function writeStream(stdin: Writable, { stream, sizeBytes }: SizedStream): Promise<void> {
  let sent = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    sent += chunk.length
    // Further bytes would be read as commands.
    if (sent > sizeBytes) break
    await write(stdin, chunk)
  }
  if (sent !== sizeBytes) throw new GitError('invalid_input', `content is not ${sizeBytes} bytes long`)
}

/** Quotes a path as a C string, so that no byte of it is special to fast-import. */
function quotedPath(path: TreePath): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are escaped
  const escaped = path.replace(/["\\\u0001-\u001f\u007f]/g, (character) => {
    return `\\${character === '"' || character === '\\' ? character : character.charCodeAt(0).toString(8).padStart(3, '0')}`
  })
  return `"${escaped}"`
}

function write(stdin: Writable, bytes: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stdin.destroyed) {
      reject(new Error('git has ended'))
      return
    }
    const onClose = () => reject(new Error('git has ended'))
    stdin.once('close', onClose)
    stdin.write(bytes, (error) => {
      stdin.off('close', onClose)
      if (error) reject(error)
      else resolve()
    })
  })
}

/**
 * Writes an annotated tag object into the quarantine.
 * @throws GitError `invalid_input` for an illegal name or a NUL in the message, `command_failed` when the target is not of that type
 */
export async function createTagObject(
  { runner, directory }: RepositoryContext,
  tag: NewTag,
  quarantine: Quarantine,
): Promise<Oid> {
  const { name, target, targetType, tagger, message } = tag
  if (refName(`refs/tags/${name}`) === null || message.includes('\0')) {
    throw new GitError('invalid_input', 'illegal tag name or message')
  }
  const command: Command = { subcommand: 'mktag', directory, quarantine }
  const ended = message === '' || message.endsWith('\n') ? message : `${message}\n`
  const input = `object ${target}\ntype ${targetType}\ntag ${name}\ntagger ${identity(tagger)}\n\n${ended}`
  const exit = await runner.run(command, { input })
  const oid = parseOid(exit.stdout.toString('latin1').trim())
  if (oid === null) throw failure(command, exit)
  return oid
}
