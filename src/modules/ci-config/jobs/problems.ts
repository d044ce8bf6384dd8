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
