import { type Param, type ParamValues, t } from '../../../api/index.ts'
import { parseDuration } from '../../../infra/durations/index.ts'
import { compileCleanupPattern } from '../../projects/index.ts'
import { repositoryId } from '../images/params.ts'

/** An RE2 pattern that must match whole names. */
function pattern(description: string): Param<string, false> {
  const text = t.string({ description })
  return {
    ...text,
    read(value, name, problems) {
      const read = text.read(value, name, problems)
      if (read === undefined) return undefined
      try {
        compileCleanupPattern(read)
        return read
      } catch (error) {
        problems.push({ name, missing: false, text: `is an invalid regexp: ${(error as Error).message}` })
        return undefined
      }
    },
  }
}

/** A duration in words, read as seconds. */
function duration(description: string): Param<number, false> {
  const text = t.string({ description, example: '1 month' })
  return {
    ...text,
    read(value, name, problems) {
      const read = text.read(value, name, problems)
      if (read === undefined) return undefined
      const seconds = parseDuration(read)
      if (seconds !== null) return seconds
      problems.push({ name, missing: false, text: 'is invalid' })
      return undefined
    },
  }
}

const bulkRules = {
  name_regex: pattern('Deprecated name of name_regex_delete, which wins over it.'),
  name_regex_delete: pattern('RE2. Tags whose whole name matches are deleted, except `latest`.'),
  name_regex_keep: pattern('RE2. Tags whose whole name matches are kept.'),
  keep_n: t.integer({ description: 'The number of newest matching tags to keep.' }),
  older_than: duration('Only tags older than this are deleted, such as `2h and 30m`; a bare number is in seconds.'),
}
export type BulkRules = ParamValues<typeof bulkRules>

export const bulkDeletion = { ...repositoryId, ...bulkRules }
export type BulkDeletion = ParamValues<typeof bulkDeletion>
