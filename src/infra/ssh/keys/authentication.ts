/** Authenticates the client of a connection by public key. */
import type { AuthContext, PublicKeyAuthContext } from 'ssh2'
import type { SshLimits } from '../limits.ts'
import type { OfferedKey, SshLog, SshService } from '../types.ts'
import { isSignedBy, typeOfBlob } from './signature.ts'

/** The maximal number of requests per connection: each may cost a look-up. */
const mostQuestions = 30

type Parts<Identity> = {
  authenticate: SshService<Identity>['authenticate']
  limits: SshLimits
  log: SshLog
  /** Called once, after successful authentication, before the client is informed. */
  onKnown(identity: Identity): void
  /** Ends the connection. */
  end(): void
}

/** Fields that are missing in the library's types. */
type KeyContext = PublicKeyAuthContext & { hashAlgo?: 'sha256' | 'sha512' }

const publicKeyOnly: ['publickey'] = ['publickey']

/** The key of a request; null when the algorithm does not match the key, or is not allowed. */
function keyOf({ key, hashAlgo }: KeyContext): OfferedKey | null {
  const type = typeOfBlob(key.data)
  if (type === null || type !== (key.algo as string)) return null
  // `ssh-rsa` means signatures with SHA-1.
  return type === 'ssh-rsa' && hashAlgo === undefined ? null : { type, blob: key.data }
}

/** The flag for a touch of a security key, which is required as in OpenSSH. */
const touched = 0x01

/** Whether the client has signed its request. The library has converted the signature to X.509, unless a security key made it. */
function isSigned(key: OfferedKey, { blob: data, hashAlgo }: KeyContext, signature: Buffer): Promise<boolean> | false {
  const signed = data ?? Buffer.alloc(0)
  const trailer = key.type.startsWith('sk-') ? signature.subarray(-5) : Buffer.alloc(0)
  if (trailer.length > 0 && !((trailer[0] ?? 0) & touched)) return false
  const bytes = signature.subarray(0, signature.length - trailer.length)
  return isSignedBy(key.blob, { bytes, rsaDigest: hashAlgo, trailer, isX509: trailer.length === 0 }, signed)
}

/**
 * Answers authentication requests. A request without signature is answered, because clients use it to find the right key, but
 * only a verified signature authenticates.
 */
export function authenticating<Identity>({ authenticate, limits, log, onKnown, end }: Parts<Identity>) {
  let questions = 0
  let failures = 0
  let isOver = false

  /** Ends the connection; further requests are ignored. */
  function giveUp(): void {
    isOver = true
    end()
  }

  function refuse(context: AuthContext): void {
    // Clients ask with `none` first, to learn the methods.
    if (context.method !== 'none') failures += 1
    if (failures >= limits.attempts) giveUp()
    else context.reject(publicKeyOnly)
  }

  async function answer(context: AuthContext): Promise<void> {
    questions += 1
    if (isOver) return
    if (questions > mostQuestions) return giveUp()
    if (context.method !== 'publickey' || context.username !== limits.username) return refuse(context)
    const asked = context as KeyContext
    const key = keyOf(asked)
    const identity = key && (await authenticate(key))
    if (!key || !identity) return refuse(context)
    // The client will send a signature next.
    if (asked.signature === undefined) return context.accept()
    if (!(await isSigned(key, asked, asked.signature))) return refuse(context)
    onKnown(identity)
    context.accept()
  }

  return (context: AuthContext): void => {
    answer(context).catch((error) => {
      log('error', 'a client could not be identified', { err: error })
      giveUp()
    })
  }
}
