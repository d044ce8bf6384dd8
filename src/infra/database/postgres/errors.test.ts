import { describe, expect, test } from 'vitest'
import { DatabaseFull, DatabaseUnavailable } from '../unavailable.ts'
import { ReferenceViolation, UniqueViolation } from '../violations.ts'
import { translateError } from './errors.ts'

const failed = (code: string, message = 'failed') => Object.assign(new Error(message), { code })

describe('an error of the driver', () => {
  test.each(['08006', '57P01', '53300', 'ECONNRESET', 'EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'])(
    'with the code %s is a lost connection',
    (code) => expect(translateError(failed(code), 'select 1')).toBeInstanceOf(DatabaseUnavailable),
  )

  test.each(['Connection terminated unexpectedly', 'Client has encountered a connection error and is not queryable'])(
    'without a code, "%s", is a lost connection',
    (message) => expect(translateError(new Error(message), 'select 1')).toBeInstanceOf(DatabaseUnavailable),
  )

  test('of a full disk is told from one of other resources that are used up', () => {
    expect(translateError(failed('53100'), 'select 1')).toBeInstanceOf(DatabaseFull)
    for (const code of ['53000', '53200', '58030', 'EMFILE', 'ENFILE']) {
      const translated = translateError(failed(code), 'select 1')
      expect(translated).toBeInstanceOf(DatabaseUnavailable)
      expect(translated).not.toBeInstanceOf(DatabaseFull)
    }
  })

  test('about a duplicate or a reference is a violation, and any other stays as it is', () => {
    expect(translateError(failed('23503'), 'select 1')).toBeInstanceOf(ReferenceViolation)
    expect(translateError(failed('23505'), 'select 1')).toBeInstanceOf(UniqueViolation)
    expect(translateError(failed('42601'), 'select 1')).not.toBeInstanceOf(DatabaseUnavailable)
  })
})
