import { GitError, type PushOutcome, type RefRejection } from '../../infra/git/index.ts'
import { BlockedAddress } from '../../infra/net/index.ts'
import { SealError } from '../../infra/secrets/index.ts'
import type { SshFailure } from '../../infra/ssh/index.ts'

/** A run of a mirror failed for a reason that may be shown. */
export class MirrorFailed extends Error {
  /** Whether another attempt may succeed without a change of configuration. */
  readonly isPassing: boolean

  constructor(sentence: string, { isPassing = false }: { isPassing?: boolean } = {}) {
    super(sentence)
    this.name = 'MirrorFailed'
    this.isPassing = isPassing
  }
}

const longestError = 2_000
const listedRefs = 20

const gitSentences: readonly [RegExp, string][] = [
  [/Authentication failed|could not read (?:Username|Password)|error: 401/i, 'Authentication failed.'],
  [
    /error: 403|not allowed to (?:push|upload)|does not have write access|can't push code|permission to .+ denied/i,
    'The remote server denied access to the repository.',
  ],
  [
    /not found|could not be found|error: 404|does not (?:exist|appear to be a git repository)/i,
    'The remote repository was not found.',
  ],
  [/mismatched algorithms|different object format/i, 'The remote repository has another object format.'],
  [/fsck error|fsck(?:Objects|_objects)|index-pack/i, 'The remote repository holds objects that are not accepted.'],
  [/error: 30\d|unable to update url base from redirection/i, 'The remote server redirects elsewhere.'],
]

/** The failures of SSH, which no message of git tells apart. */
const sshFailures: Record<SshFailure, () => MirrorFailed> = {
  unreachable: () => new MirrorFailed('The remote server could not be reached.', { isPassing: true }),
  authentication: () => new MirrorFailed('Authentication failed.', { isPassing: true }),
  host_key: () => new MirrorFailed('The remote server has another host key than before. Set up the mirror anew.'),
}

/** The failure of a git command over SSH. @param said what the remote has written on standard error */
export function failureOverSsh(error: unknown, failure: SshFailure | null, said: string): unknown {
  if (!(error instanceof GitError) || error.code !== 'command_failed') return error
  if (failure !== null) return sshFailures[failure]()
  return new GitError(error.code, error.message, { stderr: `${error.stderr}\n${said}`, cause: error })
}

/** The failure to show for an error; null for unknown errors. Git's own messages are not shown, because they may contain secrets. */
export function failureOf(error: unknown): MirrorFailed | null {
  if (error instanceof MirrorFailed) return error
  if (error instanceof BlockedAddress) return new MirrorFailed(error.message, { isPassing: true })
  if (error instanceof SealError) return new MirrorFailed('The address can no longer be read. Set up the mirror anew.')
  if (!(error instanceof GitError)) return null
  if (error.code === 'timeout') return new MirrorFailed('The remote server took too long.', { isPassing: true })
  if (error.code === 'too_large') return new MirrorFailed('The remote repository has too many branches and tags.')
  if (error.code !== 'command_failed' && error.code !== 'repository_missing') return null
  const [, sentence] = gitSentences.find(([pattern]) => pattern.test(error.stderr)) ?? []
  return new MirrorFailed(sentence ?? 'The remote server could not be reached.', { isPassing: true })
}

/** Replaces credentials of an address in a text from the remote. */
function withoutSecrets(text: string, address: URL): string {
  const [user, password] = [decodeURIComponent(address.username), decodeURIComponent(address.password)]
  const header = Buffer.from(`${user}:${password}`).toString('base64')
  const secrets = password === '' ? [user, address.username] : [header, password, address.password]
  const hidden = secrets
    .filter((secret) => secret !== '')
    .reduce((all, secret) => all.replaceAll(secret, '*****'), text)
  return hidden.replace(/:\/\/[^/\s@]*@/g, '://*****:*****@')
}

function listOf(lines: readonly string[]): string {
  const more = lines.length > listedRefs ? [`and ${lines.length - listedRefs} more`] : []
  return [...lines.slice(0, listedRefs), ...more].join('\n')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds them
const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\ufffd]/g

/** The failure to show for the outcome of a push; null when no ref was rejected. */
export function failureOfPush(
  { rejected, messages }: PushOutcome,
  { address, keepsDivergent }: { address: URL; keepsDivergent: boolean },
): MirrorFailed | null {
  if (rejected.length === 0) return null
  const refused = rejected.filter(({ kind }) => kind === 'refused')
  const diverged = rejected.filter(({ kind }) => kind === 'diverged').map(({ ref }) => ref)
  const line = ({ ref, reason }: RefRejection) => (reason === '' ? ref : `${ref} (${reason})`)
  const parts: string[] = []
  if (diverged.length > 0) {
    parts.push('Some refs have diverged and have not been updated on the remote:', listOf(diverged))
  }
  if (refused.length > 0) {
    parts.push('The remote server refused some refs:', listOf(refused.map(line)))
    if (messages.length > 0) parts.push(listOf(messages))
  }
  const text = withoutSecrets(parts.join('\n\n'), address).replace(unprintable, '')
  // Diverged refs that may not be overwritten stay rejected until a user acts.
  const isPassing = refused.length === 0 && !keepsDivergent
  return new MirrorFailed(text.slice(0, longestError), { isPassing })
}
