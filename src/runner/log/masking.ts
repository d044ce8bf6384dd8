/** Secrets in the output of a job, replaced while it is written (contract 03, "Masking in logs"). */

const mask = '[MASKED]'
/** Characters of a token after its prefix. */
const tokenCharacters = '[\\w.=-]'
/** A longer text after a prefix is no token. */
const longestToken = 1024

const quote = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Whether a text is the beginning of one of these, and not all of it. */
function beginsOne(texts: readonly string[], part: string): boolean {
  return texts.some((text) => text.length > part.length && text.startsWith(part))
}

/**
 * Replaces values and tokens in a stream of bytes. The end of a part that may be the beginning of a secret is held back until the next
 * part, or until the end.
 */
export class Masker {
  /** The bytes of the values, one character for each. */
  readonly #values: string[]
  readonly #secrets: RegExp | null
  readonly #openToken: RegExp | null
  readonly #firsts: Set<string>
  readonly #longest: number
  #held = ''

  /** @param prefixes of tokens, of which the rest is replaced */
  constructor(values: readonly string[], prefixes: readonly string[]) {
    const bytes = values.filter((value) => value !== '').map((value) => Buffer.from(value).toString('latin1'))
    const known = [...new Set(bytes)].sort((a, b) => b.length - a.length)
    const tokens = prefixes.length === 0 ? [] : [`(${prefixes.map(quote).join('|')})${tokenCharacters}+`]
    const all = [...known.map(quote), ...tokens]
    this.#secrets = all.length === 0 ? null : new RegExp(all.join('|'), 'g')
    this.#openToken =
      prefixes.length === 0
        ? null
        : new RegExp(`(?:${prefixes.map(quote).join('|')})${tokenCharacters}{0,${longestToken}}$`)
    this.#values = [...known, ...prefixes]
    this.#firsts = new Set(this.#values.map((value) => value[0] ?? ''))
    this.#longest = Math.max(0, ...this.#values.map((value) => value.length))
  }

  /** Where the part begins that may be the beginning of a secret; the length of the text when there is none. */
  #openAt(text: string): number {
    const token = this.#openToken?.exec(text.slice(-longestToken * 2))
    const tokenAt = token ? text.length - Math.min(text.length, longestToken * 2) + token.index : text.length
    for (let at = Math.max(0, text.length - this.#longest + 1); at < tokenAt; at += 1) {
      if (this.#firsts.has(text[at] ?? '') && beginsOne(this.#values, text.slice(at))) return at
    }
    return tokenAt
  }

  #masked(text: string, openAt: number): { done: string; end: number } {
    if (!this.#secrets) return { done: text.slice(0, openAt), end: openAt }
    let [done, end] = ['', 0]
    for (const { 0: found, 1: prefix = '', index } of text.matchAll(this.#secrets)) {
      if (index >= openAt) break
      done += text.slice(end, index) + prefix + mask
      end = index + found.length
    }
    return end >= openAt ? { done, end } : { done: done + text.slice(end, openAt), end: openAt }
  }

  /** @returns the bytes that can be shown */
  push(bytes: Buffer): Buffer {
    const text = this.#held + bytes.toString('latin1')
    const { done, end } = this.#masked(text, this.#openAt(text))
    this.#held = text.slice(end)
    return Buffer.from(done, 'latin1')
  }

  /** @returns the rest, after the last part */
  end(): Buffer {
    const { done } = this.#masked(this.#held, this.#held.length)
    this.#held = ''
    return Buffer.from(done, 'latin1')
  }
}
