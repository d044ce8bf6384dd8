import type { Platform } from '../../../platform/index.ts'

/** The largest patch of a file, in bytes, whatever the setting says. */
export const largestPatchBytes = 512_000
const most = { files: 2_000, lines: 100_000 }

/** How many files, lines and bytes of patches of one file an answer has at most. */
export type DiffLimits = { maxFiles: number; maxLines: number; maxPatchBytes: number }

/** The limits of diffs by the settings of the instance (contract 22, "Diff"). */
export async function diffLimits({ settings }: Pick<Platform, 'settings'>): Promise<DiffLimits> {
  const { diff_max_files: files, diff_max_lines: lines, diff_max_patch_bytes: bytes } = await settings.current()
  return {
    maxFiles: Math.min(files, most.files),
    maxLines: Math.min(lines, most.lines),
    maxPatchBytes: Math.min(bytes, largestPatchBytes),
  }
}
