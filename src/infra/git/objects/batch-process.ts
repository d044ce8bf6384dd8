/** One long-lived `git cat-file --batch-command`. Requests are pipelined and answered in order. */

import type { GitError } from '../model/errors.ts'
import { type Oid, parseOid } from '../model/names.ts'
import type { ObjectType, Quarantine } from '../model/types.ts'
import type { Command } from '../process/command.ts'
import { failure, type Runner } from '../process/runner.ts'
import type { RunningJob } from '../process/spawner/spawner.ts'
import { closed } from '../process/transfer.ts'

/** `revision` contains neither spaces nor newlines: `cat-file-pool.ts` builds it from branded values. */
export type Question = { kind: 'info' | 'contents'; revision: string; maxBytes: number }
/** `content` is cut at `maxBytes`; `sizeBytes` is the real size. Null when the object does not exist or the name is ambiguous. */
export type Answer = { oid: Oid; type: ObjectType; sizeBytes: number; content: Buffer } | null

export type PendingQuestion = Question & {
  /** How often a process has died while answering this question. */
  deaths: number
  resolve(answer: Answer): void
  reject(error: unknown): void
}

export type BatchProcess = {
  ask(question: PendingQuestion): void
  /** The number of unanswered questions. */
  pending(): number
  /** Ends the process after its last answer. */
  finish(): void
}

const NOTHING = Buffer.alloc(0)

/**
 * Starts a process in the background.
 * @param onEnd called once when it has ended, with the unanswered questions; the process was working on the first
 */
export function startBatchProcess(
  runner: Runner,
  directory: string,
  quarantine: Quarantine | undefined,
  onEnd: (unanswered: PendingQuestion[], error: GitError | null) => void,
): BatchProcess {
  const command: Command = { subcommand: 'cat-file', flags: ['--batch-command', '--buffer'], directory, quarantine }
  const questions: PendingQuestion[] = []
  let answered = 0
  let unsent: string[] = []
  let job: RunningJob | null = null
  let finished = false

  function send(): void {
    if (job?.stdin == null) return
    if (unsent.length > 0) {
      // `--buffer` saves a system call per answer; `flush` requests the buffered answers.
      job.stdin.write(`${unsent.join('')}flush\n`)
      unsent = []
    }
    if (finished) job.stdin.end()
  }

  function onAnswer(answer: Answer): void {
    const question = questions[answered]
    answered += 1
    question?.resolve(answer)
    // Removing answered questions one by one would copy the list each time.
    if (answered < questions.length && answered <= 1_024) return
    questions.splice(0, answered)
    answered = 0
  }

  runner.stream(command, { stdin: 'socket', queue: 'none' }).then(
    (started) => {
      job = started
      const read = answerReader(() => questions[answered], onAnswer)
      started.stdout?.on('data', (chunk: Buffer) => {
        if (!read(chunk)) started.kill()
      })
      const drained = started.stdout === null ? Promise.resolve() : closed(started.stdout)
      const end = (error: GitError | null) => drained.then(() => onEnd(questions.slice(answered), error))
      started.exit.then(
        (exit) => end(exit.exitCode === 0 ? null : failure(command, exit)),
        (error: GitError) => end(error),
      )
      send()
    },
    (error: GitError) => onEnd(questions.slice(answered), error),
  )

  return {
    ask(question) {
      questions.push(question)
      if (unsent.length === 0) setImmediate(send)
      unsent.push(`${question.kind} ${question.revision}\n`)
    },
    pending: () => questions.length - answered,
    finish() {
      finished = true
      send()
    },
  }
}

/**
 * Creates a parser of answers. The returned function takes the next chunk and returns false for malformed output.
 * @param current the question that the next answer belongs to
 */
function answerReader(
  current: () => PendingQuestion | undefined,
  onAnswer: (answer: Answer) => void,
): (chunk: Buffer) => boolean {
  let header = ''
  let object: NonNullable<Answer> | null = null
  let taken = 0

  function onHeader(line: string): boolean {
    const question = current()
    if (question === undefined) return false
    if (line.endsWith(' missing') || line.endsWith(' ambiguous')) {
      onAnswer(null)
      return true
    }
    const [id = '', type = '', size = ''] = line.split(' ')
    const oid = parseOid(id)
    if (oid === null || !/^\d+$/.test(size)) return false
    const sizeBytes = Number(size)
    const info = { oid, type: type as ObjectType, sizeBytes, content: NOTHING }
    if (question.kind === 'info') onAnswer(info)
    else {
      object = { ...info, content: Buffer.allocUnsafe(Math.min(sizeBytes, question.maxBytes)) }
      taken = 0
    }
    return true
  }

  /** Consumes bytes of the object's content and the newline after it. @returns the new offset */
  function onContent(answer: NonNullable<Answer>, chunk: Buffer, offset: number): number {
    const end = Math.min(chunk.length, offset + answer.sizeBytes + 1 - taken)
    if (taken < answer.content.length) chunk.copy(answer.content, taken, offset, end)
    taken += end - offset
    if (taken === answer.sizeBytes + 1) {
      object = null
      onAnswer(answer)
    }
    return end
  }

  return (chunk) => {
    let offset = 0
    while (offset < chunk.length) {
      if (object !== null) {
        offset = onContent(object, chunk, offset)
        continue
      }
      const end = chunk.indexOf(0x0a, offset)
      header += chunk.toString('latin1', offset, end < 0 ? chunk.length : end)
      if (end < 0) return header.length < 4_096
      offset = end + 1
      const line = header
      header = ''
      if (!onHeader(line)) return false
    }
    return true
  }
}
