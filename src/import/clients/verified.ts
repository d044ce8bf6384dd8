import { createHash } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import { bodyOf, handled, through } from '../../infra/streams/index.ts'
import { NotBrought } from './errors.ts'

/**
 * The body of an answer, which fails at its end unless it has the expected content: a receiver then does not store it.
 * @param sha256 in hexadecimal
 */
export function verified(response: Response, { sha256, size }: { sha256: string; size: number }): Readable {
  const hash = createHash('sha256')
  let bytes = 0
  const check = handled(
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length
        if (bytes > size) return done(new NotBrought(`the source sends more than ${size} bytes`))
        hash.update(chunk)
        done(null, chunk)
      },
      flush(done) {
        if (bytes !== size) return done(new NotBrought(`the source sends ${bytes} of ${size} bytes`))
        const isSame = hash.digest('hex') === sha256
        done(isSame ? null : new NotBrought('the source sends another content than it names'))
      },
    }),
  )
  return through(bodyOf(response), check)
}
