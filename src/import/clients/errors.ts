/** Which of the two servers. */
export type Side = 'source' | 'target'

/** What cannot be brought, with the reason as a sentence. The import goes on with the next. */
export class NotBrought extends Error {
  override name = 'NotBrought'
}

const sideNames = { source: 'the source', target: 'this server' }

/** A server refuses a request. */
export class Refused extends NotBrought {
  override name = 'Refused'
  readonly status: number

  constructor(side: Side, status: number, said: string) {
    super(sentenceOf(side, status, said))
    this.status = status
  }
}

function sentenceOf(side: Side, status: number, said: string): string {
  if (side === 'source' && [401, 403].includes(status)) return `the token may not read this at the source (${status})`
  if (side === 'source' && status === 404) {
    return 'the source does not have this, or does not show it to the token (404)'
  }
  return `${sideNames[side]} answers ${status}${said === '' ? '' : `: ${said}`}`
}

/** The import cannot go on. Another run continues it. */
export class ImportStopped extends Error {
  override name = 'ImportStopped'
}

/** A server does not answer. */
export class Unreachable extends ImportStopped {
  override name = 'Unreachable'

  constructor(side: Side, url: string, reason: string) {
    super(`${sideNames[side]} does not answer at ${url} (${reason}); the same command goes on from here`)
  }
}
