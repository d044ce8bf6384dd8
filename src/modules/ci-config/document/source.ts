/** Where the files of a configuration are: a project at a commit. */
export type ConfigSource = {
  /** Full path of the project. */
  project: string
  sha: string
  /** The text of a file; null when it does not exist, or is no text. */
  read(path: string): Promise<string | null>
  /** The paths of all files. */
  paths(): Promise<readonly string[]>
  /**
   * Another project of this instance, at a ref.
   * @param ref null: the default branch
   * @returns the problem as a sentence when the user cannot read it
   */
  other(project: string, ref: string | null): Promise<ConfigSource | string>
}
