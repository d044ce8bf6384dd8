/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'ddd0e05083bf22338305e3004d547ad3e1fd78d1e2882b8711fbbe7c31068ded',
    postgres: '6f1410f8440ccfdfa9c198587e8095364df0e5597d722a57988166f1944bc542',
  },
} as const
