/** Lists read as text: a name a word, compared in lower case. */
const words = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Functions of values. None reads files, settings, other tables or the clock of the host, waits, or fails when told to. */
const PLAIN = words(`
  and or not xor if multiIf caseWithExpression ifNull nullIf coalesce isNull isNotNull assumeNotNull toNullable isNaN isFinite isInfinite
  ifNotFinite isZeroOrNull greatest least clamp exists
  equals notEquals less greater lessOrEquals greaterOrEquals isDistinctFrom isNotDistinctFrom in notIn globalIn globalNotIn nullIn notNullIn
  plus minus multiply divide divideOrNull intDiv intDivOrZero intDivOrNull modulo moduloOrZero moduloOrNull positiveModulo negate abs sign
  gcd lcm exp exp2 exp10 log ln log2 log10 log1p sqrt cbrt pow power sin cos tan asin acos atan atan2 pi e
  floor ceil ceiling round roundBankers trunc truncate roundToExp2 roundDuration roundAge roundDown widthBucket factorial
  bitAnd bitOr bitXor bitNot bitShiftLeft bitShiftRight bitTest bitCount
  cast accurateCastOrNull accurateCastOrDefault toTypeName
  toInt8 toInt16 toInt32 toInt64 toUInt8 toUInt16 toUInt32 toUInt64 toFloat32 toFloat64 toBool toString toFixedString
  toInt8OrNull toInt16OrNull toInt32OrNull toInt64OrNull toUInt8OrNull toUInt16OrNull toUInt32OrNull toUInt64OrNull toFloat32OrNull toFloat64OrNull
  toInt8OrZero toInt16OrZero toInt32OrZero toInt64OrZero toUInt8OrZero toUInt16OrZero toUInt32OrZero toUInt64OrZero toFloat32OrZero toFloat64OrZero
  toInt32OrDefault toInt64OrDefault toUInt32OrDefault toUInt64OrDefault toFloat64OrDefault
  toDecimal32 toDecimal64 toDecimal128 toDecimal64OrNull toDecimal64OrZero toDecimalString toStringCutToZero
  toDate toDate32 toDateTime toDateTime32 toDateTime64 toDateOrNull toDateTimeOrNull toDateTime64OrNull toDateOrZero toDateTimeOrZero
  parseDateTimeBestEffort parseDateTimeBestEffortOrNull parseDateTimeBestEffortOrZero parseDateTime64BestEffort parseDateTime64BestEffortOrNull
  parseDateTime parseDateTimeOrNull makeDate makeDateTime makeDateTime64
  now now64 today yesterday toTimeZone timeZoneOf timeZoneOffset toUnixTimestamp toUnixTimestamp64Second toUnixTimestamp64Milli
  toUnixTimestamp64Micro toUnixTimestamp64Nano fromUnixTimestamp fromUnixTimestamp64Second fromUnixTimestamp64Milli fromUnixTimestamp64Micro fromUnixTimestamp64Nano
  toYear toQuarter toMonth toDayOfYear toDayOfMonth toDayOfWeek toHour toMinute toSecond toMillisecond toISOYear toISOWeek toWeek toYearWeek
  toYYYYMM toYYYYMMDD toYYYYMMDDhhmmss toMonday toLastDayOfMonth toLastDayOfWeek toDaysInMonth toTime timeSlot timeSlots
  toStartOfYear toStartOfISOYear toStartOfQuarter toStartOfMonth toStartOfWeek toStartOfDay toStartOfHour toStartOfMinute toStartOfSecond
  toStartOfMillisecond toStartOfFiveMinutes toStartOfFiveMinute toStartOfTenMinutes toStartOfFifteenMinutes toStartOfInterval
  toRelativeDayNum toRelativeHourNum toRelativeMinuteNum toRelativeSecondNum toRelativeWeekNum toRelativeMonthNum
  dateTrunc date_trunc dateDiff date_diff timestampDiff timestamp_diff timeDiff dateName monthName age formatDateTime date_format
  addSeconds addMinutes addHours addDays addWeeks addMonths addQuarters addYears addMilliseconds addDate addInterval
  subtractSeconds subtractMinutes subtractHours subtractDays subtractWeeks subtractMonths subtractQuarters subtractYears subtractMilliseconds subDate
  toInterval toIntervalNanosecond toIntervalMicrosecond toIntervalMillisecond toIntervalSecond toIntervalMinute toIntervalHour toIntervalDay
  toIntervalWeek toIntervalMonth toIntervalQuarter toIntervalYear year quarter month day hour minute second dayOfMonth dayOfWeek dayOfYear
  empty notEmpty length lengthUTF8 char_length character_length lower upper lowerUTF8 upperUTF8 lcase ucase initcap reverse reverseUTF8
  concat concat_ws concatWithSeparator substring substr substringUTF8 mid left right leftUTF8 rightUTF8 leftPad rightPad lpad rpad substringIndex
  trim trimLeft trimRight trimBoth ltrim rtrim startsWith endsWith startsWithUTF8 endsWithUTF8 startsWithCaseInsensitive endsWithCaseInsensitive
  position positionCaseInsensitive positionUTF8 positionCaseInsensitiveUTF8 locate instr countSubstrings countSubstringsCaseInsensitive
  like ilike notLike notILike match extract extractAll extractGroups extractAllGroupsVertical regexpExtract countMatches countMatchesCaseInsensitive
  multiSearchAny multiSearchAnyCaseInsensitive multiSearchFirstIndex multiMatchAny hasToken hasTokenCaseInsensitive hasTokenOrNull
  replace replaceOne replaceAll replaceRegexpOne replaceRegexpAll translate format splitByChar splitByString splitByRegexp splitByWhitespace
  splitByNonAlpha alphaTokens tokens ngrams arrayStringConcat base64Decode base64Encode tryBase64Decode hex unhex ascii char isValidUTF8 toValidUTF8
  domain domainWithoutWWW topLevelDomain protocol path pathFull port queryStringAndFragment extractURLParameter cutQueryString decodeURLComponent
  formatReadableSize formatReadableDecimalSize formatReadableQuantity formatReadableTimeDelta
  levenshteinDistance editDistance jaroWinklerSimilarity ngramDistance
  JSONHas JSONLength JSONType JSONExtract JSONExtractString JSONExtractInt JSONExtractUInt JSONExtractFloat JSONExtractBool JSONExtractRaw
  JSONExtractArrayRaw JSONExtractKeys JSONExtractKeysAndValues JSONArrayLength isValidJSON JSON_VALUE JSON_QUERY JSON_EXISTS simpleJSONExtractString
  simpleJSONExtractInt simpleJSONExtractFloat simpleJSONHas toJSONString
  cityHash64 sipHash64 xxHash64 farmHash64 halfMD5 MD5 SHA256
  tuple tupleElement untuple array arrayElement arrayElementOrNull map mapKeys mapValues mapContains mapContainsKey mapContainsKeyLike mapFilter mapApply
  mapExists mapAll mapFromArrays mapAdd mapSubtract mapConcat mapUpdate mapSort
  has hasAll hasAny hasSubstr indexOf countEqual arrayConcat arrayPushBack arrayPushFront arrayPopBack arrayPopFront arraySlice arrayReverse arrayFlatten
  arrayCompact arrayZip arrayUniq arrayDistinct arrayIntersect arrayEnumerate arrayEnumerateUniq arraySort arrayReverseSort arrayMap arrayFilter
  arrayCount arrayExists arrayAll arrayFirst arrayFirstIndex arrayLast arrayLastIndex arrayMin arrayMax arraySum arrayAvg arrayProduct arrayCumSum
  arrayDifference arrayJoin arrayResize arrayFold arraySplit arrayWithConstant range flatten unnest lambda
  transform bar identity materialize
`);

/** Aggregates and window functions; each also with the combinators below. */
const AGGREGATES = words(`
  count sum avg min max any any_value anyLast anyHeavy argMin argMax min_by max_by sumKahan sumCount avgWeighted
  stddevPop stddevSamp varPop varSamp covarPop covarSamp corr skewPop skewSamp kurtPop kurtSamp entropy simpleLinearRegression
  quantile quantiles quantileExact quantilesExact quantileTDigest quantilesTDigest quantileTiming quantilesTiming quantileDD
  quantileExactLow quantileExactHigh quantileExactInclusive quantileExactWeighted quantileTDigestWeighted quantileDeterministic
  median medianExact medianTDigest
  uniq uniqExact uniqCombined uniqCombined64 uniqHLL12 uniqUpTo groupArray groupArraySorted groupArrayLast groupArraySample array_agg
  groupUniqArray groupConcat group_concat string_agg topK topKWeighted approx_top_k approx_top_sum histogram
  groupBitAnd groupBitOr groupBitXor boundingRatio deltaSum deltaSumTimestamp maxIntersections intervalLengthSum windowFunnel retention
  sequenceMatch sequenceCount exponentialMovingAverage exponentialTimeDecayedAvg sumMap minMap maxMap sparkbar
  bit_and bit_or bit_xor std stddev stddev_pop stddev_samp var_pop var_samp covar_pop covar_samp
  row_number rank dense_rank denseRank percent_rank percentRank cume_dist ntile lag lead lagInFrame leadInFrame first_value last_value nth_value nonNegativeDerivative
`);

const COMBINATORS = ['if', 'ornull', 'ordefault', 'distinct', 'array', 'map', 'foreach', 'argmin', 'argmax'];

export const ALLOWED_FUNCTIONS: ReadonlySet<string> = new Set([...PLAIN, ...AGGREGATES]);
const AGGREGATE_SET: ReadonlySet<string> = new Set(AGGREGATES);

/** Whether a statement may call a function of that name: a listed one, or a listed aggregate with combinators. */
export function isAllowedFunction(name: string): boolean {
  const lower = name.toLowerCase();
  if (ALLOWED_FUNCTIONS.has(lower)) return true;
  for (const combinator of COMBINATORS) {
    if (!lower.endsWith(combinator)) continue;
    const base = lower.slice(0, -combinator.length);
    if (AGGREGATE_SET.has(base) || (base !== '' && isCombined(base))) return true;
  }
  return false;
}

/** An aggregate with at least one combinator; the plain functions take none. */
const isCombined = (name: string): boolean => !ALLOWED_FUNCTIONS.has(name) && isAllowedFunction(name);
