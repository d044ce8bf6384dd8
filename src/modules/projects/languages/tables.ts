type ProjectLanguagesTable = { project_id: number; name: string; size_bytes: number }

/** The commit whose files were counted. */
type ProjectLanguageHeadsTable = { project_id: number; commit_id: string }

declare module '../../../infra/database/tables.ts' {
  interface Tables {
    project_languages: ProjectLanguagesTable
    project_language_heads: ProjectLanguageHeadsTable
  }
}
