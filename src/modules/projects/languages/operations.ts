import { reading, Type } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../core/access.ts'
import { languageShares } from './languages.ts'

/** Percent by the name of the language (contract 21, x.projects_languages). */
const LanguageShares = Type.Record(Type.String(), Type.Unsafe<number>({ type: 'number' }), { title: 'LanguageShares' })

export const projectsLanguages = operation({
  id: 'projects.languages',
  contract: 'x.projects_languages',
  method: 'GET',
  path: '/projects/:id/languages',
  tag: 'Projects',
  summary: 'Get the programming languages of a project',
  description: 'Shares of the bytes on the default branch in percent.',
  subject: project,
  allow: 'read_code',
  scopes: reading,
  result: [200, LanguageShares],
  run: ({ platform, subject }) => languageShares(platform, subject),
})
