/** A configuration is invalid. `messages` are shown to users (contract 04, Errors). */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly messages: readonly string[]

  constructor(...messages: string[]) {
    super(messages.join('; '))
    this.messages = messages
  }
}
