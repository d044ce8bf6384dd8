import { type TablesOf, t, table } from '../../../infra/database/index.ts'
export const projectLanguages = table(
  'project_languages',
  {
    project_id: t.refers('projects', 'cascade'),
    name: t.text(),
    size_bytes: t.bigint(),
  },
  {
    primaryKey: ['project_id', 'name'],
    indexes: { name: ['lower(name)', 'project_id'] },
  },
)

/** The commit whose files were counted. */
export const projectLanguageHeads = table('project_language_heads', {
  project_id: t.refers('projects', 'cascade').primaryKey(),
  commit_id: t.text(),
})

declare module '../../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof projectLanguages | typeof projectLanguageHeads> {}
}
