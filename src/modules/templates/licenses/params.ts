import { type ParamValues, t } from '../../../api/index.ts'

/** Longer texts are no names of projects or people. */
const longest = 255

export const licenseFilter = { popular: t.boolean({ description: 'Only those that most projects choose.' }) }

/** What stands in the placeholders of a licence. */
export const filling = {
  project: t.string({ maxLength: longest, description: 'The name of the project.' }),
  fullname: t.string({
    maxLength: longest,
    description: 'The holder of the copyright; default the name of the caller.',
  }),
}
export type Filling = ParamValues<typeof filling>
