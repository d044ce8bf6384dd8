/** Tags whose values are positions of directories with metadata only: EXIF, GPS, interoperability. */
export const metadataDirectories: ReadonlySet<number> = new Set([34665, 34853, 40965])

/** The tag whose values are positions of directories with images: smaller versions, or the raw image. */
export const imageDirectories = 330

/** Texts and other facts about the origin of an image, by tag. */
const origins: ReadonlySet<number> = new Set([
  269, // DocumentName
  270, // ImageDescription
  271, // Make
  272, // Model
  285, // PageName
  305, // Software
  306, // DateTime
  315, // Artist
  316, // HostComputer
  700, // XMP
  32781, // ImageID
  33432, // Copyright
  33434, // ExposureTime
  33437, // FNumber
  33723, // IPTC
  34377, // Photoshop, which repeats IPTC
  50341, // PrintIM
  50735, // CameraSerialNumber
  50740, // DNGPrivateData, with the maker's notes
  50827, // OriginalRawFileName
  50828, // OriginalRawFileData
])

/** Ranges of the tags of EXIF, which some cameras write into the directory of the image; Windows' own texts are among them. */
const exifRanges: readonly (readonly [first: number, last: number])[] = [
  [34850, 34869],
  [36864, 42239],
]

/** Whether an entry is removed from the directory of an image (contract 08, "Metadata removal"). */
export function isMetadata(tag: number): boolean {
  if (metadataDirectories.has(tag) || origins.has(tag)) return true
  return exifRanges.some(([first, last]) => tag >= first && tag <= last)
}
