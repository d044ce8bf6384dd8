import { allOrNone, type Param, type ParamValues, parameterError, t } from '../../../api/index.ts'
import { relationNamed } from '../relations.ts'

const text = t.string({ description: 'The name of a relation, as in the status.' })

/** The relation of a download. */
function relationOf(kind: 'project' | 'group'): Param<string, true> {
  return t.required({
    ...text,
    read(value, name, problems) {
      const read = text.read(value, name, problems)
      if (read === undefined || relationNamed(kind, read)) return read
      problems.push({ name, missing: false, text: 'is not valid' })
      return undefined
    },
  })
}

const integer = t.integer({ description: 'The number of a batch, from 1; only with `batched`.' })

/** What is no number is refused after the check that both parameters are given (contract 14, 3.39). */
const batchNumber: Param<number, false> = {
  ...integer,
  read: (value, name) => integer.read(value, name, []) ?? Number.NaN,
}

export const startParams = { batched: t.boolean({ description: 'Divide relations into files of 1,000 rows.' }) }

export const statusParams = { relation: text }

export const downloadParams = (kind: 'project' | 'group') => ({
  relation: relationOf(kind),
  batched: t.boolean({ description: 'Download a batch; only with `batch_number`.' }),
  batch_number: batchNumber,
})

/** The batch that a download names; undefined for the whole relation. @throws ApiError 400 */
export function wantedBatch({
  batched,
  batch_number: number,
}: ParamValues<ReturnType<typeof downloadParams>>): number | undefined {
  if ((batched === undefined) !== (number === undefined)) throw allOrNone(['batched', 'batch_number'])
  if (number !== undefined && Number.isNaN(number)) throw parameterError('batch_number', 'is invalid')
  return batched ? number : undefined
}
