import { type Param, t } from '../../../api/index.ts'

/** Leaves the repository, by either separator. */
const climbs = /(?:^|[/\\])\.\.(?:[/\\]|$)|^\//

const text = t.string({ description: 'Path of the file, with slashes sent as `%2F`.', example: 'lib/a.rb' })

/** The path of a file in the request's path (contract 22, x.files_get). */
export const filePath: Param<string, true> = t.required({
  ...text,
  read(value, name, problems) {
    const path = text.read(value, name, problems)
    if (path === undefined || !climbs.test(path)) return path
    problems.push({ name, missing: false, text: 'should be a valid file path' })
    return undefined
  },
})

const revision = 'Branch, tag or commit; `HEAD` is the default branch.'

export const requiredRef = t.requiredNotBlank({ description: revision })
export const optionalRef = t.string({ description: revision })
