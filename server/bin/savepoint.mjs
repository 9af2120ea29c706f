#!/usr/bin/env node
import '../dist/programs/savepoint.js';
