/** A configuration is invalid. `messages` are shown to users (contract 04, Errors). */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly messages: readonly string[]

  constructor(...messages: string[]) {
    super(messages.join('; '))
    this.messages = messages
  }
}

/** The problem of a configuration that would take too much memory or time (contract 04, ".gitlab-ci.yml subset"). */
export const tooBig = 'The parsed YAML is too big'

/** Collects what is wrong with a configuration; a reader that finds a problem returns undefined. */
export class Problems {
  readonly messages: string[] = []
  readonly warnings: string[] = []

  /** @returns undefined, as the value that could not be read */
  add(place: string, text: string): undefined {
    this.messages.push(`${place} ${text}`)
    return undefined
  }
}
