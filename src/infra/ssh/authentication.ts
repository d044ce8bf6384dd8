/** How somebody becomes known on a connection. */
import type { AuthContext, PublicKeyAuthContext } from 'ssh2'
import type { SshLimits } from './limits.ts'
import { isSignedBy, typeOfBlob } from './signature.ts'
import type { SshLog, SshService } from './types.ts'

/** Questions that one connection may ask, be they right or wrong: each may cost a look-up. */
const mostQuestions = 30

type Parts<Identity> = {
  authenticate: SshService<Identity>['authenticate']
  limits: SshLimits
  log: SshLog
  /** Called once, when the client has proved who they are, right before it is told. */
  onKnown(identity: Identity): void
  /** Ends the connection. */
  end(): void
}

/** What the library leaves out of its types. */
type KeyContext = PublicKeyAuthContext & { hashAlgo?: 'sha256' | 'sha512' }

const publicKeyOnly: ['publickey'] = ['publickey']

/** The key that a client names; null when the name that it gives to the algorithm is another one's, or bad. */
function keyOf({ key, hashAlgo }: KeyContext): { type: string; blob: Buffer } | null {
  const type = typeOfBlob(key.data)
  if (type === null || type !== (key.algo as string)) return null
  // `ssh-rsa` alone means signatures over SHA-1.
  return type === 'ssh-rsa' && hashAlgo === undefined ? null : { type, blob: key.data }
}

/**
 * Answers the questions of a client that wants to be known. Naming a key is answered, since that is how clients find out
 * which of their keys to use, but it makes nobody known: only a signature does, and only after it has been verified.
 */
export function authenticating<Identity>({ authenticate, limits, log, onKnown, end }: Parts<Identity>) {
  let questions = 0
  let failures = 0
  let isOver = false

  /** Ends it all: what the client asks behind that, it asks in vain. */
  function giveUp(): void {
    isOver = true
    end()
  }

  function refuse(context: AuthContext): void {
    // Clients ask with `none` first, to hear what there is.
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
    // The signature is still to come.
    if (asked.signature === undefined) return context.accept()
    const signature = { bytes: asked.signature, hash: asked.hashAlgo, signed: asked.blob ?? Buffer.alloc(0) }
    if (!(await isSignedBy(key.blob, signature))) return refuse(context)
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
