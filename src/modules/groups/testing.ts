import type { Answer } from '../../testing/index.ts'

/** What is said against the path of a group. */
export const pathRule =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."

/** What is said against it as the path of a namespace. */
export const strictPathRule =
  "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end with '-', '_', '.', '.git', or '.atom'."

/** Paths of the groups or projects that were answered. */
export const pathsOf = ({ body }: Answer): string[] => body.map(({ path }: { path: string }) => path)
