import { crc32 } from 'node:zlib'
import type { Clock } from '../../infra/clock/index.ts'
import { Masker } from './masking.ts'

/** What follows is only counted, as by gitlab-runner (`output_limit`). */
const mostBytes = 4 * 1024 * 1024

const colours = { green: '32;1', red: '31;1', yellow: '33;1', cyan: '36;1' } as const
const clearLine = '\u001b[0K'

/** A text in a colour. */
export const coloured = (colour: keyof typeof colours, text: string): string =>
  `\u001b[${colours[colour]}m${text}\u001b[0;m`

/** The log of a job: what is written into it is masked, and waits until the server has it. */
export class JobLog {
  readonly #masker: Masker
  readonly #clock: Clock
  #pending: Buffer[] = []
  #pendingBytes = 0
  #isFull = false
  /** Bytes that the server has. */
  sentBytes = 0
  sizeBytes = 0
  #checksum = 0

  constructor(clock: Clock, secrets: readonly string[], prefixes: readonly string[]) {
    this.#clock = clock
    this.#masker = new Masker(secrets, prefixes)
  }

  /** Writes output of a program. */
  write(bytes: Buffer): void {
    if (this.#isFull) return
    this.#add(this.#masker.push(bytes))
    if (this.sizeBytes < mostBytes) return
    this.#isFull = true
    const end = `\nThe log has reached its limit of ${mostBytes} bytes. The job goes on, what it writes is not recorded.\n`
    this.#add(Buffer.from(coloured('yellow', end)))
  }

  /** Writes a line. */
  line(text = ''): void {
    this.write(Buffer.from(`${text}\n`))
  }

  notice(text: string): void {
    this.line(coloured('yellow', `WARNING: ${text}`))
  }

  /** Writes the result of the job, also where the log is full. */
  result(text: string): void {
    this.#add(Buffer.concat([this.#masker.push(Buffer.from(`${text}\n`)), this.#masker.end()]))
  }

  /** Writes a section around what `work` writes. @param name as gitlab-runner names it */
  async section<Result>(name: string, title: string, work: () => Promise<Result>): Promise<Result> {
    const seconds = () => Math.floor(this.#clock.now().getTime() / 1000)
    this.write(Buffer.from(`section_start:${seconds()}:${name}\r${clearLine}${coloured('cyan', title)}\n`))
    try {
      return await work()
    } finally {
      this.write(Buffer.from(`section_end:${seconds()}:${name}\r${clearLine}`))
    }
  }

  #add(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#pending.push(bytes)
    this.#pendingBytes += bytes.length
    this.sizeBytes += bytes.length
    this.#checksum = crc32(bytes, this.#checksum)
  }

  get isSent(): boolean {
    return this.#pendingBytes === 0
  }

  /** The checksum of all bytes, in the form of gitlab-runner. */
  get checksum(): string {
    return `crc32:${this.#checksum.toString(16).padStart(8, '0')}`
  }

  /** The first bytes that the server does not have. @param most number of bytes */
  next(most: number): Buffer {
    const all = Buffer.concat(this.#pending)
    this.#pending = all.length === 0 ? [] : [all]
    return all.subarray(0, most)
  }

  /** The server has so many bytes. @returns whether it can go on from there */
  acknowledge(storedBytes: number): boolean {
    const received = storedBytes - this.sentBytes
    if (received < 0 || received > this.#pendingBytes) return false
    const rest = Buffer.concat(this.#pending).subarray(received)
    this.#pending = rest.length === 0 ? [] : [rest]
    this.#pendingBytes = rest.length
    this.sentBytes = storedBytes
    return true
  }
}
